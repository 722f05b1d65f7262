import type { SafeFetch } from '@troupe/fetch'
import type { LoginStore } from '@troupe/mcp'
import type { Containment } from '@troupe/process'
import type { SessionProvider } from '@troupe/registry'
import type {
  AgentDefinition,
  AgentRunner,
  ApprovalDecision,
  ApprovalRequest,
  Clock,
  JsonObject,
  LanguageModel,
  ModelChoice,
  RunEvent,
  RunOptions,
  RunReport,
  RunStore,
  ToolDefinition,
  ToolResult,
  TypedAgent,
  TypedRunReport,
} from '@troupe/schema'
import type { Diagnosis } from './diagnosis/diagnosis.ts'
import type { PreflightOptions } from './diagnosis/preflight.ts'
import type { FieldOrigin } from './definition/field-origin.ts'
import type { HostPlan, PlanProblem } from './plan/plan-types.ts'
import type { Reload } from './reload/reload.ts'
import type { HostWatch, WatchOptions } from './reload/watch-team.ts'
import type { HostServers } from './servers/host-servers.ts'
import type { SurfaceKey } from './config/surface-settings.ts'

/** Options of a host. It reads nothing from the process; the app passes the environment. */
export interface HostOptions {
  /** Card files, folders, URLs or definitions. The entry agent is one of the first. */
  readonly cards: readonly (string | AgentDefinition)[]
  /** Further cards and folders to search for children. Their agents are never the entry. */
  readonly extraCards?: readonly string[]
  /** Path or content of a configuration. `false`: no configuration. Default: the nearest troupe.json. */
  readonly config?: string | JsonObject | false
  /** Rules for reading cards from addresses. Default: only https and public addresses. */
  readonly remote?: {
    readonly allowHttp?: boolean
    readonly allowPrivate?: boolean
    readonly safeFetch?: SafeFetch
  }
  /** Process environment, read once by the app. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Variables that override every other source (`--env`). */
  readonly envOverrides?: Readonly<Record<string, string>>
  /** Env files that rank after the overrides and before the sidecars (`--env-file`). */
  readonly envFiles?: readonly string[]
  /**
   * Card files that replace the cards with the same agent names. Their relative paths resolve as in the
   * replaced cards.
   */
  readonly edited?: readonly string[]
  /** Replaces the model of every agent (`--model`). */
  readonly model?: string
  /** Dotted card keys to change for the entry agent only (`--set limits.maxTurns=5`). */
  readonly set?: Readonly<Record<string, unknown>>
  /** Name of the agent to run by default (`--agent`). */
  readonly entry?: string
  /** Working folder, against which relative paths of the options resolve. */
  readonly cwd: string
  /**
   * Root folder of the built-in tools. Default: `runtime.root` of the configuration, else the working folder.
   */
  readonly root?: string
  /** Home folder, where the search for troupe.json stops. */
  readonly home?: string
  /**
   * Folder for the state of the app: records of running servers, so that those left over from a crash are
   * stopped, and permanent approvals. Without it nothing is stored.
   */
  readonly stateFolder?: string
  /**
   * Returns how commands and MCP servers are contained with their child processes. Default: the strongest
   * method available.
   */
  readonly containment?: () => Promise<Containment>
  /** Models by id that take precedence over providers, for embedders and tests. */
  readonly models?: Readonly<Record<string, LanguageModel>>
  /**
   * Further built-in tools, for every agent but those of remote cards. Cards restrict them with `tools` and
   * `permissions`.
   */
  readonly tools?: readonly ToolDefinition[]
  /** Stores the log of every run. Without it no run is stored. The host closes it. */
  readonly store?: RunStore
  /** Folder or store for logins to MCP servers. Without it servers that require a login cannot be used. */
  readonly logins?: string | LoginStore
  /**
   * True to leave out tools of MCP servers that differ from the lock file (`--frozen`). Default: `toolLock`
   * of the configuration.
   */
  readonly frozen?: boolean
  /** Provides the sessions of runs. Default: as cards configure with `acquire`. The host closes it. */
  readonly sessionProvider?: SessionProvider
  /** Default: the system clock. */
  readonly clock?: Clock
  /** Returns a number from 0 to below 1, for retry jitter and for hooks. Default: `Math.random`. */
  readonly random?: () => number
  /**
   * Called once before code named by cards is imported, which may block the thread. Not called if no card
   * names code.
   */
  beforeCode?(): void
}

/** The tools of an agent and their permissions. */
export interface ToolLease {
  readonly tools: readonly ToolDefinition[]
  /** Returns whether a call of the tool runs, needs approval, or is denied. */
  permission(tool: ToolDefinition): 'allow' | 'ask' | 'deny'
  /**
   * Warnings for the user: filters without a match, renamed tools, messages of servers. Grows until
   * `release`.
   */
  readonly warnings: readonly string[]
  release(): Promise<void>
}

/**
 * Options of a run whose result type is that of its agent. `output` is excluded, since it would change that
 * type.
 */
export type TypedRunOptions = RunOptions & { readonly output?: never }

/**
 * Runs an agent by name, the entry agent for `undefined`, or by definition. The schemas of a definition type
 * the input and the output.
 */
export interface RunAgent {
  (agent: string | undefined, input: string | JsonObject, options?: RunOptions): Promise<RunReport>
  <Input, Value>(
    agent: TypedAgent<Input, Value>,
    input: Input,
    options?: TypedRunOptions,
  ): Promise<TypedRunReport<Value>>
  (agent: AgentDefinition, input: string | JsonObject, options: RunOptions): Promise<RunReport>
}

/** Runs an agent, yields its events and returns the report. */
export interface StreamAgent {
  (
    agent: string | undefined,
    input: string | JsonObject,
    options?: RunOptions,
  ): AsyncGenerator<RunEvent, RunReport>
  <Input, Value>(
    agent: TypedAgent<Input, Value>,
    input: Input,
    options?: TypedRunOptions,
  ): AsyncGenerator<RunEvent, TypedRunReport<Value>>
  (
    agent: AgentDefinition,
    input: string | JsonObject,
    options: RunOptions,
  ): AsyncGenerator<RunEvent, RunReport>
}

/** Options of `Host.resume`. */
export interface ResumeOptions extends Pick<
  RunOptions,
  | 'signal'
  | 'onEvent'
  | 'deltas'
  | 'approve'
  | 'ask'
  | 'wait'
  | 'resumable'
  | 'timeout'
  | 'budget'
  | 'spendingLimit'
> {
  /** True to resume with cards that have changed since. Default: such a run is refused. */
  readonly acceptChanges?: boolean
}

/** Options of `Host.fork`. */
export interface ForkOptions extends Omit<ResumeOptions, 'acceptChanges'> {
  /**
   * The turn from which the fork runs live: `2` of the root run, `1.2/3` of the run opened by its call 1.2.
   */
  readonly at: string
  /** Names of agents whose cards may have changed since, or `true` for all. Default: none. */
  readonly acceptChanges?: boolean | readonly string[]
  /** Id of the new run. Default: a random id. */
  readonly runId?: string
  /** Prompts by agent name that replace those of the cards. The card files stay unchanged. */
  readonly prompts?: Readonly<Record<string, string>>
  /** Replaces the note stored with the run. */
  readonly note?: JsonObject
}

/** Result of a fork. */
export interface Fork {
  readonly report: RunReport
  /** Number of events copied from the original run. */
  readonly taken: number
  /** Description of the first difference between the runs. `undefined` if they are equal. */
  readonly change?: string
}

/** Options of `Host.replay`. */
export interface ReplayOptions extends Pick<RunOptions, 'signal' | 'onEvent'> {
  /** Name of the recording in messages. */
  readonly file?: string
  /**
   * Must be equal to the recorded input, else the replay fails with `replay_mismatch`. Default: the recorded
   * input.
   */
  readonly input?: string | JsonObject
}

/** A loaded team that can be run. */
export interface Host extends AgentRunner {
  /** Returns the plan as plain data. Never throws for bad cards; they are problems of the plan. */
  plan(): HostPlan
  /**
   * Returns the configuration of a surface (`server`, `slack`) with variables expanded, or `undefined` if
   * there is none. Throws `env_missing`.
   */
  settings(key: SurfaceKey): JsonObject | undefined
  /**
   * Replaces the secrets of the team in a text, or in every text of a value, by `[redacted:NAME]`. All output
   * of the host is already redacted.
   */
  redact<T>(value: T): T
  /**
   * Connects all MCP servers and returns the plan including their tools. A server that does not start is a
   * problem of the plan.
   */
  inspect(): Promise<HostPlan>
  /**
   * Checks everything the team depends on: keys, models, servers and the store. Never rejects because
   * something is missing.
   */
  diagnose(): Promise<Diagnosis>
  /**
   * Connects the MCP servers of the agents to be used and of all they can reach, and returns the problems
   * found. By default the servers keep running, so that runs of the principal `local` need not start them
   * again.
   */
  preflight(options?: PreflightOptions): Promise<readonly PlanProblem[]>
  /** The MCP servers of the team: tools, logins and the lock. */
  readonly servers: HostServers
  /**
   * Runs an agent and resolves with its report for every outcome: check `outcome`, then read `output`.
   * Rejects only for misuse, such as an unknown agent name.
   */
  run: RunAgent
  /**
   * Resumes an interrupted run of the store. Model answers and completed calls are not repeated; a call that
   * had only started is repeated if `effect` of its tool allows it. `onEvent` gets all events from the
   * beginning. Returns the report if the run has already ended. Rejects with `run_unknown`, `run_changed`,
   * `run_not_resumable`, or `store_locked` while another process runs it.
   */
  resume(runId: string, options?: ResumeOptions): Promise<RunReport>
  /**
   * Continues from a step of a stored run as a new run. Everything before the step is copied and costs
   * nothing. Rejects with `run_unknown`, `run_step_unknown`, `run_not_resumable`, or `run_changed` if the
   * card of an unfinished agent has changed and `acceptChanges` does not name it.
   */
  fork(runId: string, options: ForkOptions): Promise<Fork>
  /**
   * Replays a recording (`record` of a run) without calling any model, server, tool, tool hook or approver.
   * Events equal those of the recorded run except for their times. If events or model requests differ, the
   * report fails with `replay_mismatch` and names the difference. Nothing is persisted. Rejects with
   * `cassette_invalid`.
   */
  replay(cassette: string, options?: ReplayOptions): Promise<RunReport>
  /** Returns the pending calls of a stored run and its child runs, in the order of their requests. */
  approvals(runId: string): Promise<readonly ApprovalRequest[]>
  /**
   * Decides a pending call of a run started with `wait`. If the run is in progress in this host it continues;
   * otherwise the decision is stored for the next `resume`. Rejects with `approval_unknown`, or
   * `store_locked` while another process runs it.
   */
  decide(runId: string, approvalId: string, decision: ApprovalDecision): Promise<void>
  /** Runs an agent, yields its events and returns the report. */
  stream: StreamAgent
  /** Leases the tools of an agent, including those of its MCP servers. */
  tools(agent: string | undefined): Promise<ToolLease>
  /** Calls one tool of an agent with hooks, validation and permissions. */
  callTool(
    agent: string | undefined,
    tool: string,
    args: JsonObject,
    options?: RunOptions,
  ): Promise<ToolResult>
  /** Returns the configured models. Each can replace those of the cards (`model` of a run). */
  models(): readonly ModelChoice[]
  /** Returns the definition of an agent, by default of the entry. */
  definition(agent: string | undefined): AgentDefinition
  /** Returns the source of the value of a key. `path` leads into mappings, as in `['limits', 'maxTurns']`. */
  origin(agent: string | undefined, path: readonly string[]): FieldOrigin
  /**
   * Loads the team again. Runs in progress continue with their team; new runs use the new one. An edit that
   * stops a runnable agent is rejected, with its problems. Reloads run one at a time; rejects only if the
   * host is closed.
   */
  reload(): Promise<Reload>
  /**
   * Reloads after every change of the files that the team is read from. Resolves when they are watched. Ends
   * with its own `close` or that of the host.
   */
  watch(options?: WatchOptions): Promise<HostWatch>
  /**
   * Prevents further calls of `once` tools, for an app that is about to exit. A run that reaches such a call
   * is interrupted before it, as by its `signal`, after the `once` calls it has started have finished.
   * Everything else continues.
   */
  holdOnceCalls(): void
  /**
   * Cancels the runs in progress and closes what is shared: MCP servers and the store. Never rejects because
   * a run fails.
   */
  close(): Promise<void>
  /** Kills all MCP servers and commands immediately, for the exit of the process. */
  kill(): void
}
