import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { AgentDefinition } from './agent.ts'
import type { Compose } from './compose.ts'
import type { Failure } from './errors.ts'
import type { EventDraft, RunEvent, RunListener } from './event.ts'
import type { LoopHooks, ToolHook } from './hook.ts'
import type { Json, JsonObject, MaybePromise } from './json.ts'
import type { PersonAnswer, Question } from './question.ts'
import type { RunRequest, RunResult } from './run.ts'
import type { ToolDefinition } from './tool.ts'
import type { ToolResult } from './tool-result.ts'
import type { Usage } from './usage.ts'

/** Time and timers. `now` is wall time in ms, `monotonic` never goes back. */
export interface Clock {
  now(): number
  monotonic(): number
  /** Calls `fn` once after `ms`; the answer cancels it. */
  after(ms: number, fn: () => void): () => void
}

/** Hides known secrets in text. Events show and steps resume (decision 9), so there are two forms, from one set of values. */
export interface Redactor {
  /** `[redacted:NAME]`: for what is shown, exported, or read by a model. */
  redact(text: string): string
  /** `{{secret:NAME}}`: for what is kept so that a run can be resumed. `reveal` gives back exactly what was sealed. */
  seal(text: string): string
  reveal(text: string): string
  /** `redact` for one text that comes in pieces. */
  pieces(): RedactedPieces
}

/** A text on its way: a piece that may be the beginning of a secret is kept back until it is known. */
export interface RedactedPieces {
  /** What may be shown now. */
  push(piece: string): string
  /** What was kept back. */
  end(): string
}

/** One keyed fact of a run (`begin`, `llm:<turn>`, `start:<turn>.<ordinal>#<attempt>`, `tool:<turn>.<ordinal>`, `approval:<turn>.<ordinal>#<attempt>`, `ask:<turn>`, `aside:<turn>.<n>`, `context:<turn>`, `end`), an event, or both: written together or not at all. */
export interface LogEntry {
  readonly runId: string
  readonly step?: { readonly key: string; readonly value: Json }
  readonly event?: EventDraft
}

/** The log of one root: durable entries in, events out. */
export interface RootLog {
  /** Somebody listens or entries are kept; when false no event need be built. */
  readonly active: boolean
  /** Somebody listens for deltas; when false none is built. */
  readonly watched: boolean
  /** Entries are kept, and not left, so steps are worth writing. */
  readonly keeps: boolean
  /** In order; told to listeners once committed. */
  write(entry: LogEntry): void
  /** A transient event: told after everything written before it. */
  tell(event: EventDraft): void
  /** Resolves when all that was written is committed; undefined when it already is. */
  durable(): Promise<void> | undefined
  /** The committed steps of a run, by key. */
  steps(runId: string): MaybePromise<ReadonlyMap<string, Json>>
  subscribe(
    listener: RunListener,
    options?: { readonly deltas?: boolean; readonly after?: number },
  ): () => void
  /**
   * What is kept by now stands, so that the root can be resumed from there: what is written later is told without a `seq` and not kept. A log
   * that keeps nothing has none.
   */
  leave?(): void
  /** Gives the lease of the root back. */
  close(): MaybePromise<void>
}

/** How much of a root is kept: every word, or only who did what when, at what cost and with what outcome. Of the second no run can be resumed. */
export type StoreDetail = 'full' | 'metadata'

/** The conversation that a root is part of: there may be one of the same id for every principal. */
export interface SessionKey {
  readonly sessionId: string
  readonly principal: string
}

/** Which roots are asked for: those of a principal, or of one session of it. */
export interface RootFilter {
  readonly principal: string
  readonly sessionId?: string
}

/** What a store knows of a root without opening it. */
export interface StoredRoot {
  readonly rootRunId: string
  /** None: it was opened without one. */
  readonly session?: SessionKey
  /** Somebody writes it. */
  readonly open: boolean
  /** Who, where the store is shared by processes. */
  readonly owner?: { readonly name: string; readonly pid: number; readonly host: string }
  /** When the root was last opened, written or closed, wall time in ms, where the store knows. */
  readonly changedAt?: number
  /** `seq` of its last event; 0: none. */
  readonly lastSeq: number
  readonly detail: StoreDetail
}

/** Keeps the logs of roots. Reading needs no lease: anybody may look at a root that somebody else writes. */
export interface RunStore {
  /**
   * Opens the log of a root and takes its lease; throws `store_locked` when another owner has it, and `session_busy` when another root of its session
   * is open. `detail` (default: full) and `session` are those of a new root.
   */
  open(
    rootRunId: string,
    owner: string,
    options?: { readonly detail?: StoreDetail; readonly session?: SessionKey },
  ): MaybePromise<RootLog>
  /** In the order they were begun, where the store knows; with a filter those of a principal, or of a session of one. */
  roots(filter?: RootFilter): MaybePromise<readonly StoredRoot[]>
  /** The committed events of a root after a `seq`, in order; none: there is no such root. */
  events(
    rootRunId: string,
    range?: { readonly after?: number; readonly limit?: number },
  ): MaybePromise<readonly RunEvent[]>
  /** The committed steps of a run, by key. */
  steps(rootRunId: string, runId: string): MaybePromise<ReadonlyMap<string, Json>>
  /** Forgets roots; those that are open stay. Gives how many are gone. */
  purge(rootRunIds: readonly string[]): MaybePromise<number>
  close(): MaybePromise<void>
}

/**
 * The lanes to the providers, shared by everything in the process: one for each provider and key. A lane is held by one model call: nobody
 * waits for a lane while holding one (decision 6).
 */
export interface Lanes {
  /** Waits until the call may go out. Undefined: the stop fired first. */
  enter(call: LaneCall): MaybePromise<LanePass | LaneRefusal | undefined>
}

/** What a model call asks of its lane. */
export interface LaneCall {
  readonly handle: Pick<ModelHandle, 'lane' | 'laneSize' | 'laneLimits' | 'endpoint'>
  readonly stop: StopSource
  /** The longest it may be kept waiting for a time that is known, in ms. */
  readonly patienceMs: number
  /** True: no other model could be asked instead, so it waits once for a provider that is left alone. */
  readonly isLast: boolean
  /** The tokens it may use; asked for under a limit of tokens only. */
  tokens(): number
  /** Is told of a wait that is known, in ms. */
  onWait?(ms: number): void
}

/** A call that may go out. */
export interface LanePass {
  /** The call is over. Once. */
  leave(report: LaneReport): LaneNews
}

/** How a call ended. */
export interface LaneReport {
  /** The code of its failure; none: it was answered. */
  readonly code?: string
  /** What the provider asked for, in ms. */
  readonly retryAfterMs?: number
  /** Tokens it used; none: not known. */
  readonly tokens?: number
}

/** What the end of a call means for its caller. */
export interface LaneNews {
  /** How long to wait before another attempt, in ms; none: the lane does not care. */
  readonly waitMs?: number
  /** The provider is left alone from now on, for so many ms. */
  readonly closedForMs?: number
  /** The provider is asked again. */
  readonly isOpenAgain?: true
}

/** A call that does not go out. */
export interface LaneRefusal {
  /** `rate`: the provider wants to be left alone longer than the call can wait. `failing`: it failed too often. */
  readonly refused: 'rate' | 'failing'
  /** Until it would be let through, in ms. */
  readonly waitMs: number
}

/** What one root may still spend: runs, tokens and money. */
export interface Purse {
  /** Counts a run that is about to open; false: the root has used up its runs. */
  openRun(maxRuns: number): boolean
  /** The pot of a run that starts: its own caps and those of every run above it. Undefined: no cap is in force, so nothing need be counted. */
  openPot(run: PotRequest): Pot | undefined
}

/** What a run and everything below it may use; none: no cap. */
export interface Budget {
  /** Tokens in and out. */
  readonly maxTokens?: number
  /** In USD. */
  readonly maxCost?: number
}

/** The run a pot is opened for. */
export interface PotRequest {
  readonly runId: string
  readonly parentRunId?: string | undefined
  readonly budget: Budget
  /** Where the caps of this run are written, for messages: `in team/planner.md`. */
  readonly origin: string
}

/** What a run may still spend, with all runs above it. Every call is reserved at its worst case and settled after it (decision 7). */
export interface Pot {
  /**
   * Reserves the worst case of one model call. One that does not fit waits in order, holding nothing, while calls in flight may give
   * enough back; else it is a {@link Shortage}. Undefined: the stop fired first.
   */
  reserve(call: CallBound, stop?: StopSource): MaybePromise<Reservation | Shortage | undefined>
  /** Keeps as much as is there, up to this, for the closing turn of the run; replaces what it kept before. */
  setAside(amount: Spend): void
  /** True the first time a model without a price is used under a cap on cost. */
  firstUnpriced(model: string): boolean
  /** Counts what was spent before the run was interrupted. */
  charge(spent: Spend): void
  /** Gives back what was set aside. */
  close(): void
}

/** Tokens, in and out, and micro-USD. */
export interface Spend {
  readonly tokens: number
  readonly micros: number
}

/** The most one model call can use. */
export interface CallBound {
  readonly inputTokens: number
  /** What the call would like; lowered to what can be paid. */
  readonly outputTokens: number
  /** None: the call costs nothing that is known; its tokens count. */
  readonly price: ModelPrice | undefined
  /** The closing turn: it may use what its run set aside. */
  readonly isClosing: boolean
}

/** A call that may go out. */
export interface Reservation {
  readonly maxOutputTokens: number
  readonly worst: Spend
  /** The cap that lowered the output; none: it was not lowered. */
  readonly lowered?: Shortage
  /** Gives back what was not spent; `next` is what the run sets aside from now on. Once. */
  settle(spent: Spend, next?: Spend): void
}

/** A cap that is in the way. `used` and `cap` in tokens, or in USD. */
export interface Shortage {
  readonly kind: 'tokens' | 'cost'
  readonly used: number
  readonly cap: number
  /** What raises it: `limits.maxCost in team/planner.md`. */
  readonly limit: string
}

/** Micro-USD per million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** A model ready to call. */
export interface ModelHandle {
  /** `provider/name` as configured. */
  readonly id: string
  readonly provider: string
  /** Shared by all calls with one provider and key. */
  readonly lane: string
  /** Model calls in this lane at once; none: no limit. */
  readonly laneSize?: number
  /** Requests and tokens of all calls of this lane in any minute; none: no limit. */
  readonly laneLimits?: { readonly requestsPerMinute?: number; readonly tokensPerMinute?: number }
  /** The provider at its address, whatever the key: what fails as a whole. Default: the lane. */
  readonly endpoint?: string
  readonly price?: ModelPrice
  /** Tokens that a request and its answer may have together; none: it is not known. */
  readonly contextWindow?: number
  /** The most tools the provider takes in one request. */
  readonly maxTools?: number
  /** The variable or setting that holds the key and where it was found, for messages: `OPENAI_API_KEY of /team/troupe.env`. Never the key. */
  readonly credential?: string
  /** The text without the key: providers repeat what they refuse. */
  hide?(text: string): string
  /**
   * Where an answer is asked for in one piece (`doGenerate`) and not as a stream: `always`, as the server cannot stream; `unwatched`, where nobody
   * sees it come and it is not known to take long. None: nowhere.
   */
  readonly whole?: 'always' | 'unwatched'
  /**
   * The model for one run. A provider's model is the same each time; a scripted one starts at its first step, or after the `calls` that
   * a run which is resumed has made.
   */
  open(run: { readonly agent: string; readonly runId: string; readonly calls?: number }): LanguageModelV4
}

/** A model in the provider contract that core drives. */
export type LanguageModel = LanguageModelV4

/** What asking a person gives. */
export interface ApprovalDecision {
  readonly decision: 'approved' | 'denied'
  readonly reason?: string
  /** What was said to a question of a tool. */
  readonly answer?: string
  /** The same for a form. */
  readonly values?: JsonObject
  /** Approved for more than this call: the tool of this agent is not asked about again in the conversation, or at all. */
  readonly remember?: AnswerScope
  /** Nobody was asked now: it had been said for so long. */
  readonly remembered?: AnswerScope
}

/** How long an answer holds beyond its call. */
export type AnswerScope = 'session' | 'always'

/** Asks a person for one call. Must settle when `signal` aborts. */
export type Approver = (
  request: {
    readonly runId: string
    readonly approvalId: string
    readonly agent: string
    readonly instance: string
    readonly toolName: string
    readonly args: JsonObject
    /** Why a hook wants it to be asked. */
    readonly reason?: string
  },
  signal: AbortSignal,
) => MaybePromise<ApprovalDecision>

/**
 * Where calls wait for a person who decides later, perhaps when this process is gone: the root is left when nothing of it is at work any more
 * but such calls, and goes on when they are decided on.
 */
export interface WaitingRoom {
  /** Something begins that would be lost if the root were left: a call of a model or of a tool. The answer ends it. */
  work(): () => void
  /** Settles when the call is decided on while the root is not left. `announce` is called when it is. */
  wait(
    call: { readonly approvalId: string; announce(): void },
    signal: AbortSignal,
  ): Promise<ApprovalDecision>
}

/** Asks a person a question of a tool. Must settle when `signal` aborts. */
export type Asker = (
  question: Question & {
    readonly runId: string
    readonly agent: string
    readonly instance: string
    readonly toolName: string
  },
  signal: AbortSignal,
) => MaybePromise<PersonAnswer>

/** Compiled once per schema identity: gives the arguments, or any JSON value, with defaults filled in, or what is wrong with them. */
export type ValidateArguments = <Value extends Json>(
  schema: JsonObject,
  args: Value,
) =>
  | { readonly ok: true; readonly args: Value }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Everything of a session that does not depend on the run; a pool keeps these warm, never sessions. */
export interface PreparedAgent {
  readonly definition: AgentDefinition
  /** The system message; empty: none. */
  readonly system: string
  /** In order of fallback; at least one. */
  readonly models: readonly ModelHandle[]
  /** Summarises what its conversations leave out; none: the first of `models`. */
  readonly contextModel?: ModelHandle
  /** By wire name, in the order the model is shown. */
  readonly tools: ReadonlyMap<string, ToolDefinition>
  readonly hooks: readonly ToolHook[]
  readonly loopHooks: LoopHooks
  readonly validate: ValidateArguments
  /** Runs in place of the loop: the agent is a composition of others (R20). */
  readonly compose?: Compose
  /** What the rules say of a tool: run it, ask a person, or refuse. */
  permission(tool: ToolDefinition): 'allow' | 'ask' | 'deny'
  /** A variable of the overlay. */
  env(name: string): string | undefined
  /** A server that the agent can do without could not be had: the session serves one run and is not kept for others. */
  readonly isDegraded?: boolean
  /** Gives back what the session leased. Called once, at the end of the run. */
  release(): MaybePromise<void>
}

/** Starts runs somewhere. `start` is idempotent on the run's id. No closures cross this line but the root's own scope. */
export interface RunExecutor {
  start(request: RunRequest, root: RootScope, control: RunControl): Promise<RunResult>
}

/** How a parent holds a running child. */
export interface RunControl {
  /** Aborts when the parent ends, with a {@link Failure} as reason. */
  readonly signal: AbortSignal
  /** The same for a child in this process: thousands of them cannot listen to one signal cheaply. */
  readonly stop?: StopSource
  /** The parent's deadline stands still while an approval below is open. */
  readonly deadline: Deadline | undefined
  /** Where the child's usage goes beside its own account. */
  readonly account: Account
}

/** Tells once when to stop, and why. */
export interface StopSource {
  /** Undefined while it goes on. */
  readonly reason: Failure | undefined
  /** Calls `fn` when it stops (at once if it has); the answer takes the listener back. */
  onStop(fn: (reason: Failure) => void): () => void
}

/** Active time until a moment: stands still while paused. */
export interface Deadline {
  /** Active ms left; at least 0. */
  remaining(): number
  /** Stops the clock of this deadline and of those above it; the answer starts it again. */
  pause(): () => void
}

/** Adds up usage by agent for a run and everything above it. */
export interface Account {
  add(agent: string, usage: Usage, unpricedModel?: string): void
}

/** What is kept of one run of a root that was interrupted. */
export interface PastRun {
  readonly steps: ReadonlyMap<string, Json>
  readonly events: readonly RunEvent[]
}

/** What is kept of a root that is resumed: what its runs have done is not done again. */
export interface RootPast {
  /** How many of its runs had begun. */
  readonly size: number
  /** True for a run that had begun. */
  has(runId: string): boolean
  /** What is kept of a run that goes on, or whose result is taken over. */
  run(runId: string): MaybePromise<PastRun | undefined>
  /** Of a run and those below it, in order. */
  eventsBelow(runId: string): readonly RunEvent[]
  /** The beginnings of runs that have no end and that nobody asked for: those above them had given them up. The deepest first. */
  abandoned(): readonly Extract<RunEvent, { readonly type: 'run-start' }>[]
}

/** Stands beside a root that is recorded or replayed and is shown what it asks. Requests hold `{{secret:NAME}}` in place of secrets. */
export interface RootTape {
  /** The session of a run is ready. */
  ready(runId: string, prepared: PreparedAgent): void
  /** A model is about to be asked. */
  asked(runId: string, request: JsonObject): void
  /** Answers in place of everything outside; none: the root is only recorded. */
  readonly replay?: RootReplay
}

/** What a recording gives in place of models, tools and persons. Promises stay open where nothing fits: the root is stopped then. */
export interface RootReplay {
  /** The answer to what was just asked, when its turn has come. */
  answer(runId: string): Promise<ReplayedAnswer>
  call(runId: string, callId: string): ReplayedCall
}

/** A recorded answer of a model. */
export interface ReplayedAnswer {
  /** The value of its `llm:` step; none: the call failed. */
  readonly step?: Json
  readonly failure?: Failure
  readonly partialText?: string
  /** It failed and was tried again. */
  readonly isRetried: boolean
  readonly usage: Usage
}

/** A recorded call of a tool. */
export interface ReplayedCall {
  /** The children that it opened, in order. */
  readonly children: readonly {
    readonly attempt: number
    readonly agent: string
    readonly input: string
    /** What the agent was called with, where a hook had changed it. */
    readonly args?: JsonObject
  }[]
  /** What its caller got, when the turn of that has come. */
  result(): Promise<{
    readonly result: ToolResult
    readonly attempts: number
    /** Of its arguments, where a secret stands in them; none: it follows from them. */
    readonly bytesIn?: number
  }>
}

/** What all runs of one tree in one process share. */
export interface RootScope {
  readonly log: RootLog
  /** The secrets of everything the root can reach; none are known without it. */
  readonly redactor?: Redactor
  readonly lanes: Lanes
  readonly purse: Purse
  readonly executor: RunExecutor
  readonly clock: Clock
  /** 0 ≤ x < 1; for jitter. */
  random(): number
  /** Hook state of scope `root`. */
  readonly state: Map<string, unknown>
  /** None, and no `waiting`: what asks is denied. */
  readonly approve?: Approver
  /** True: tools that need an approval are not offered, as there is nobody to ask (R16). */
  readonly headless?: true
  /** What asks waits here, where there is no `approve`. */
  readonly waiting?: WaitingRoom
  /** None: nobody answers what a tool asks. */
  readonly ask?: Asker
  /** None: the root runs for the first time. */
  readonly past?: RootPast
  /** None: the root is neither recorded nor replayed. */
  readonly tape?: RootTape
  /** `limits.maxRuns` and `limits.maxDepth` of the root. */
  readonly maxRuns: number
  readonly maxDepth: number
}
