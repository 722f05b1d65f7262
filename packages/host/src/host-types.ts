import type { SafeFetch } from '@troupe/fetch'
import type { LoginStore } from '@troupe/mcp'
import type { Containment } from '@troupe/process'
import type { Acquisition } from '@troupe/registry'
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

/** What a host is made of. Nothing is read from the process: the app hands over its environment. */
export interface HostOptions {
  /** Card files, folders or definitions. The entry agent is looked for in the first. */
  readonly cards: readonly (string | AgentDefinition)[]
  /** Further cards and folders in which children are looked for; their agents are never the entry. */
  readonly extraCards?: readonly string[]
  /** Path of a configuration file, or its content; none: the nearest troupe.json. `false`: no file. */
  readonly config?: string | JsonObject | false
  /** How cards are read from addresses (R18). Default: https and public addresses only. */
  readonly remote?: {
    readonly allowHttp?: boolean
    readonly allowPrivate?: boolean
    readonly safeFetch?: SafeFetch
  }
  /** The process environment, read once by the app. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Beats every other source (`--env`). */
  readonly envOverrides?: Readonly<Record<string, string>>
  /** Read after the overrides and before the sidecars (`--env-file`). */
  readonly envFiles?: readonly string[]
  /** Card files that stand in place of the cards of the same names; their relative paths are those of the cards they stand for. */
  readonly edited?: readonly string[]
  /** Replaces the model of every agent (`--model`). */
  readonly model?: string
  /** Changes the entry agent only: dotted keys of a card (`--set limits.maxTurns=5`). */
  readonly set?: Readonly<Record<string, unknown>>
  /** The agent to run when none is named (`--agent`). */
  readonly entry?: string
  /** The working folder: relative paths of the options resolve against it. */
  readonly cwd: string
  /** The folder that built-in tools work in; default: `runtime.root` of the configuration, else the working folder. */
  readonly root?: string
  /** The home folder: where the search for troupe.json stops. */
  readonly home?: string
  /** Where the app keeps its state: notes of running servers, so that those a killed program left behind are ended. None: none are kept. */
  readonly stateFolder?: string
  /** Returns how commands and MCP servers are kept together with what they start. Default: the best that the machine offers. */
  readonly containment?: () => Promise<Containment>
  /** Models by id, before any provider is asked: for embedders and tests. */
  readonly models?: Readonly<Record<string, LanguageModel>>
  /** Keeps the log of every run; none: nothing is kept. The host closes it. */
  readonly store?: RunStore
  /** Where logins to MCP servers are kept: a folder, or a store. None: servers that want a login cannot be used. */
  readonly logins?: string | LoginStore
  /** Tools of MCP servers that are not as the lock file has them are left out (`--frozen`); default: `toolLock` of the configuration. */
  readonly frozen?: boolean
  /** How runs come to their sessions. Default: as the cards say with `acquire`. The host closes it. */
  readonly acquisition?: Acquisition
  /** Default: the time of the system. */
  readonly clock?: Clock
  /** From 0 to below 1: how waits before further attempts are spread, and the chance that hooks see. Default: `Math.random`. */
  readonly random?: () => number
  /** Called once before code that cards name is imported: it may keep the thread for itself from then on. Not called where no card names any. */
  beforeCode?(): void
}

/** The tools of an agent, and what its rules say of each. */
export interface ToolLease {
  readonly tools: readonly ToolDefinition[]
  /** Whether a call of the tool runs, asks a person first, or is refused. */
  permission(tool: ToolDefinition): 'allow' | 'ask' | 'deny'
  /** What a person should know: filters that match nothing, tools that were renamed, what servers said. Grows until `release`. */
  readonly warnings: readonly string[]
  release(): Promise<void>
}

/** Options of a run whose types its agent gives: a form of its own for the answer would be another type. */
export type TypedRunOptions = RunOptions & { readonly output?: never }

/** Runs an agent: by its name, the entry where it is undefined, or by its definition, whose schemas type what goes in and comes out. */
export interface RunAgent {
  (agent: string | undefined, input: string | JsonObject, options?: RunOptions): Promise<RunReport>
  <Input, Value>(
    agent: TypedAgent<Input, Value>,
    input: Input,
    options?: TypedRunOptions,
  ): Promise<TypedRunReport<Value>>
  (agent: AgentDefinition, input: string | JsonObject, options: RunOptions): Promise<RunReport>
}

/** The same run as events; the answer of the generator is the report. */
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

/** How a run goes on. */
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
  /** Goes on with cards that have changed since. Default: such a run is refused. */
  readonly acceptChanges?: boolean
}

/** How a run is forked. */
export interface ForkOptions extends Omit<ResumeOptions, 'acceptChanges'> {
  /** The turn from which it goes on live: `2` of the root, `1.2/3` of the run that its call 1.2 opened. */
  readonly at: string
  /** The agents whose cards may have changed since; `true`: all. Default: none. */
  readonly acceptChanges?: boolean | readonly string[]
  /** The id of the new run; default: a random one. */
  readonly runId?: string
  /** Prompts in place of those of the cards, by the names of their agents; the cards stay as they are. */
  readonly prompts?: Readonly<Record<string, string>>
  /** Kept with the new run in place of that of the old one. */
  readonly note?: JsonObject
}

/** A run that went another way. */
export interface Fork {
  readonly report: RunReport
  /** Events that were taken over. */
  readonly taken: number
  /** Where the new run parts from the old one, in words; none: it did the same. */
  readonly change?: string
}

/** How a recorded run is played. */
export interface ReplayOptions extends Pick<RunOptions, 'signal' | 'onEvent'> {
  /** What the recording is called in messages. */
  readonly file?: string
  /** What the run is told; another input than that of the recording is `replay_mismatch`. Default: the recorded one. */
  readonly input?: string | JsonObject
}

/** A team that is loaded and can be run. */
export interface Host extends AgentRunner {
  /** Plain data; never throws for bad cards, they are problems of the plan. */
  plan(): HostPlan
  /** What the configuration says for a surface (`server`, `slack`), its variables filled in; undefined: nothing. Throws `env_missing`. */
  settings(key: SurfaceKey): JsonObject | undefined
  /** A text, or every text of a value, with the secrets of the team as `[redacted:NAME]`. All that the host itself tells is so. */
  redact<T>(value: T): T
  /** The plan with the tools of all MCP servers in it: starts them and asks. A server that does not start is a problem of the plan. */
  inspect(): Promise<HostPlan>
  /** Tries what the team relies on: keys, models, servers, the store. Never rejects for what is not there. */
  diagnose(): Promise<Diagnosis>
  /**
   * Connects the MCP servers of the agents that are about to be used and of all that they can reach, and returns what is wrong with them.
   * By default the servers keep running, so that runs of the principal `local` do not start them again.
   */
  preflight(options?: PreflightOptions): Promise<readonly PlanProblem[]>
  /** The MCP servers of the team: their tools, logins and the lock. */
  readonly servers: HostServers
  /**
   * Runs an agent and resolves with its report for every outcome: check `outcome`, then read `output`. Rejects only for misuse, such as the
   * name of an agent that does not exist.
   */
  run: RunAgent
  /**
   * Goes on with a run of the store that was interrupted: answers of models are not paid again, calls that ended are not made again, and one
   * that had only started is made again where its tool says that it may be (`effect`). `onEvent` hears everything from the beginning. A run
   * that has ended gives its report. Rejects with `run_unknown`, `run_changed`, `run_not_resumable`, and `store_locked` while a process runs it.
   */
  resume(runId: string, options?: ResumeOptions): Promise<RunReport>
  /**
   * Goes on from a step of a run of the store as a new run: what came before is taken over and not paid again. Rejects with `run_unknown`,
   * `run_step_unknown`, `run_not_resumable`, and `run_changed` where an agent that had not ended by then has another card and it is not said to.
   */
  fork(runId: string, options: ForkOptions): Promise<Fork>
  /**
   * Runs the team again out of a recording (`record` of a run): no model, no server, no tool, no tool hook and no person is asked. The events are
   * those of the recorded run but for their times; where they, or the requests to models, are others, the report fails with `replay_mismatch`
   * and says which. Nothing is kept. Rejects with `cassette_invalid`.
   */
  replay(cassette: string, options?: ReplayOptions): Promise<RunReport>
  /** The calls of a run of the store that wait for a decision, its children's included, in the order in which they asked. */
  approvals(runId: string): Promise<readonly ApprovalRequest[]>
  /**
   * Decides on a call of a run that waits (`wait`). One that is at work in this host goes on; for any other the decision is kept, and `resume` goes
   * on with it. Rejects with `approval_unknown`, and `store_locked` while another process runs it.
   */
  decide(runId: string, approvalId: string, decision: ApprovalDecision): Promise<void>
  /** The same run as events; the answer of the generator is the report. */
  stream: StreamAgent
  /** The tools an agent would have, its MCP servers included. The lease ends with `release`. */
  tools(agent: string | undefined): Promise<ToolLease>
  /** Runs one tool of an agent through the whole path (hooks, validation, permission). */
  callTool(
    agent: string | undefined,
    tool: string,
    args: JsonObject,
    options?: RunOptions,
  ): Promise<ToolResult>
  /** The models that are configured: any of them can be asked in place of those of the cards (`model` of a run). */
  models(): readonly ModelChoice[]
  /** The definition behind a name of the plan. */
  definition(agent: string | undefined): AgentDefinition
  /** Who says what a key of an agent is; `path` leads into mappings, as in `['limits', 'maxTurns']`. */
  origin(agent: string | undefined, path: readonly string[]): FieldOrigin
  /**
   * Reads the team again. Runs in flight keep the team that they began with, to their ends; those that start afterwards are of the new one. An
   * edit that stops an agent that could be run is kept out, with its problems. Reloads follow one after the other; rejects only when closed.
   */
  reload(): Promise<Reload>
  /** Reloads after every change of the files that the team is read from. Resolves when they are watched; ends with its `close` or that of the host. */
  watch(options?: WatchOptions): Promise<HostWatch>
  /**
   * Lets no further call of a `once` tool start: for an app that is about to end. A run that reaches such a call is interrupted before it, as by
   * its `signal`, and once the `once` calls that it has started have their results. All other work goes on.
   */
  holdOnceCalls(): void
  /** Stops the runs in flight and ends what is shared: MCP servers, the store. Never rejects for a run that fails. */
  close(): Promise<void>
  /** The last moment of an app: kills all MCP servers and commands, at once. */
  kill(): void
}
