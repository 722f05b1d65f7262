import type { GuardedFolder } from '@troupe/runtime'
import type { Schedule } from '@troupe/schedules'
import type {
  AgentDefinition,
  AgentRunner,
  ApprovalDecision,
  ApprovalRequest,
  Failure,
  JsonObject,
  ModelChoice,
  RunEvent,
  RunOptions,
  RunReport,
  ToolResult,
  TypedAgent,
  TypedRunReport,
  WriteTarget,
} from '@troupe/schema'
import type { AcceptedRun, Embeddings, TaskRunner } from '@troupe/schema/ports'
import type { UnsavedCard } from '../cards/card-pool.ts'
import type { SurfaceKey, SurfaceSettings } from '../config/read-config.ts'
import type { PlanProblem } from '../config/plan-problem.ts'
import type { Diagnosis } from '../diagnosis/diagnose.ts'
import type { PreflightOptions } from '../diagnosis/preflight.ts'
import type { HostPlan } from '../plan/host-plan.ts'
import type { PendingWrite } from '../plan/write-target.ts'
import type { EmbedOptions } from '../runs/embed-texts.ts'
import type { Fork, ForkOptions } from '../runs/fork-run.ts'
import type { ToolLease } from '../runs/call-tool.ts'
import type { ReplayOptions } from '../runs/replay-recording.ts'
import type { ResumeOptions } from '../runs/resume-run.ts'
import type { HostServers } from '../servers/host-servers.ts'
import type { CheckedEdit } from '../snapshot/check-edit.ts'
import type { Reload } from '../snapshot/compare-teams.ts'
import type { FieldOrigin } from '../team/field-origin.ts'
import type { HostWatch, WatchOptions } from '../watch/watch-team.ts'

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

/** A loaded team that can be run. */
export interface Host extends AgentRunner, TaskRunner {
  /** Returns the plan as plain data. Never throws for bad cards; they are problems of the plan. */
  plan(): HostPlan
  /**
   * Returns the configuration of a surface (`server`, `slack`, `hooks`) with variables expanded, or
   * `undefined` if there is none. Throws `env_missing`.
   */
  settings<Key extends SurfaceKey>(key: Key): SurfaceSettings<Key> | undefined
  /** Returns the settings of a surface as they are written, so that messages can name their variables. */
  writtenSettings<Key extends SurfaceKey>(key: Key): SurfaceSettings<Key> | undefined
  /** Returns the schedules of the configuration and the cards. The same array until the team is reloaded. */
  schedules(): readonly Schedule[]
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
  /**
   * Returns a folder with the rules of the file tools: nothing outside it, no secrets of the team, and no writing to
   * its files. For `tools` of a run that access files in another way.
   */
  folder(path: string): GuardedFolder
  /** The MCP servers of the team: tools, logins and the lock. */
  readonly servers: HostServers
  /**
   * Runs an agent and resolves with its report for every outcome: check `outcome`, then read `output`.
   * Rejects only for misuse, such as an unknown agent name.
   */
  run: RunAgent
  /**
   * Accepts a run that starts later, and stores its request, so that `resume` starts it after a restart.
   * Returns the report of a run that is refused. Rejects as `run` does. The run keeps the team that was
   * current when it was accepted.
   */
  accept(
    agent: string | undefined,
    input: string | JsonObject,
    options?: RunOptions,
  ): Promise<AcceptedRun | RunReport>
  /**
   * Resumes an interrupted run of the store, or starts one that was only accepted. Model answers and completed calls are not repeated; a call that
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
  /**
   * Reads the file that a pending call of `filesystem.write` would change, to show the difference to the person who
   * decides. The content is hidden if the agent could not read it without approval. Resolves with `undefined` for
   * other calls, and for runs that workers execute.
   */
  writeTarget(call: PendingWrite): Promise<WriteTarget | undefined>
  /** Returns the pending calls of a stored run and its child runs, in the order of their requests. */
  approvals(runId: string): Promise<readonly ApprovalRequest[]>
  /** Returns true if the run is in progress in this host and waits for an answer of `approve` or `ask`. */
  isWaiting(runId: string): boolean
  /**
   * Decides a pending call. If the run is in progress in this host it continues, and an `approve` or `ask` that has
   * not answered is aborted; otherwise the decision is stored for the next `resume`. Rejects with
   * `approval_unknown`, or with `approval_elsewhere` while another process waits for the answer.
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
  /**
   * Converts texts to vectors with a model of a configured provider, such as `openai/text-embedding-3-small`. The limits of
   * the provider apply, and so do the budget and the spending limit. Rejects with the failure, without retries.
   */
  embed(model: string, texts: readonly string[], options?: EmbedOptions): Promise<Embeddings>
  /** Returns the failure of a model that `embed` cannot use as the team is configured. */
  embeddingProblem(model: string): Failure | undefined
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
   * Returns the plan of the team with the unsaved text of one of its card files, as it would be after saving.
   * Writes, imports and fetches nothing: code and cards from URLs are loaded when the card is saved.
   */
  checkEdit(unsaved: UnsavedCard): Promise<CheckedEdit>
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
