import type { AgentDefinition, OutputContract } from '../agents/agent.ts'
import type { ClientTools } from '../agents/client-tools.ts'
import type { TeamOverrides } from '../agents/run.ts'
import type { ToolDefinition } from '../agents/tool.ts'
import type { Failure, Outcome } from '../errors/errors.ts'
import type { RunListener, RunOutput } from '../events/event.ts'
import type { Approver, Asker } from '../ports/approver.ts'
import type { Budget, SpendingLimit } from '../ports/budget-ledger.ts'
import type { RunInterceptor } from '../ports/run-interceptor.ts'
import type { Json, JsonObject, MaybePromise } from '../text/json.ts'
import type { Attachment } from '../values/message.ts'
import type { RunProblems } from '../values/run-problem.ts'
import type { TraceContext } from '../values/trace-context.ts'
import type { Usage } from '../values/usage.ts'

/** Usage as printed by `--json`. Cost in USD; `null` if the price of a model is not known. */
export interface UsageReport {
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  readonly cost: number | null
  readonly unpriced: readonly string[]
  readonly estimated: boolean
  readonly modelCalls: number
  readonly toolCalls: number
}

/** Report of a run for its caller, for every outcome. The same object that `--json` prints. */
export interface RunReport<Value = Json> extends RunProblems {
  /** The id of the run. */
  readonly runId: string
  /** The name of the agent that ran. */
  readonly agent: string
  /** Outcome of the run. */
  readonly outcome: Outcome
  /** The answer: text, value and files. */
  readonly output: RunOutput<Value>
  /** The reason why the run has no complete answer. */
  readonly error?: Failure
  /** Tokens, calls and cost of the run and all runs below it, and those of each agent. */
  readonly usage: UsageReport & { readonly byAgent: Readonly<Record<string, UsageReport>> }
  /** The id of the conversation that the run belongs to. */
  readonly sessionId: string
  /**
   * Wall time from the first start of the run to its end, in ms. Includes waits for people and times without
   * a process.
   */
  readonly durationMs: number
  /**
   * The part of `durationMs` in which the run was active, in ms: without waits of the run or a run below it
   * for people, and without times in which no process worked on it.
   */
  readonly activeMs: number
}

/** Options of a run. */
export interface RunOptions {
  readonly signal?: AbortSignal
  readonly onEvent?: RunListener
  /**
   * False to get no transient events in `onEvent`: deltas, progress, logs. Answers may then be requested in
   * one piece. A function is called repeatedly while workers execute the run, which send these events only while
   * it returns true; otherwise it counts as true. Default: true.
   */
  readonly deltas?: boolean | (() => boolean)
  readonly approve?: Approver
  /** Answers questions of tools to people (`human.ask`). Without it they get no answer. */
  readonly ask?: Asker
  /**
   * True if there is no approver, so tools that need an approval are not offered to any agent of the run. Not
   * allowed together with `approve`.
   */
  readonly headless?: boolean
  /**
   * True to suspend a fully stored run when a call needs a decision and no answer is available. The run ends
   * with `run_waiting` and can be resumed after the decision. Default: such a call is denied.
   */
  readonly wait?: boolean
  /**
   * True if `signal` interrupts the run, so that it can be resumed, instead of cancelling it. A function
   * decides by the abort reason. Default: false.
   */
  readonly resumable?: boolean | ((reason: unknown) => boolean)
  /**
   * Continues the conversation of `principal` with this id, or starts it. Refused with `session_mismatch` if
   * it is a conversation of another agent, and with `session_busy` while another run of it is open. Default:
   * a new conversation with the id of the run.
   */
  readonly sessionId?: string
  /**
   * True to refuse an unknown `sessionId`, or one of another principal, with `session_unknown`. Default: it
   * is created.
   */
  readonly continueOnly?: boolean
  /**
   * Starts a new conversation with the messages of the principal's stored root run with this id, and of those
   * before it in its conversation. Refused with `run_unknown` if there is none, and with `session_mismatch` if it
   * is a run of another agent, or `sessionId` is that of an existing conversation. Not allowed together
   * with `messages`.
   */
  readonly branchFrom?: string
  /**
   * The principal that the run works for, stored with it. Each conversation belongs to one principal.
   * Default: `local`.
   */
  readonly principal?: string
  /** Earlier messages of a conversation that the caller stores. Not allowed together with `sessionId`. */
  readonly messages?: readonly EarlierMessage[]
  readonly runId?: string
  /** True to refuse a `runId` of which the store already has a run, with `run_exists`. Default: false. */
  readonly requireNewId?: boolean
  /**
   * Model for all agents of the run, instead of those of the cards: a model id, or a name of `models` in the
   * configuration.
   */
  readonly model?: string
  /** Prompts, models and model settings of single agents, instead of those of their cards. */
  readonly overrides?: Omit<TeamOverrides, 'model'>
  /** Time limit in ms. Replaces `limits.timeout`. */
  readonly timeout?: number
  /** Budget in addition to the limits of the card. The lower cap applies. */
  readonly budget?: Budget
  /**
   * Priority of the run and all runs below it while they wait in a queue: an integer from 1 to 1000, lower
   * first. Default: 100.
   */
  readonly priority?: number
  /**
   * Limit on all runs of the principal together, created with `createSpendingLimit` of `@troupe/core`.
   * Default: no limit.
   */
  readonly spendingLimit?: SpendingLimit
  /** Files that are sent to the model with the input: images, PDF, text. Not supported by compositions. */
  readonly attachments?: readonly Attachment[]
  /**
   * Called after the run with its recording, which `replay` of a host accepts. Secrets are replaced by their
   * names.
   */
  readonly record?: (cassette: string) => MaybePromise<void>
  /**
   * Tools that the caller executes itself, if the card allows it. At a call the run ends with `run_waiting` and
   * can be resumed after a decision with the result. A run that is not fully stored calls `onSuspend` instead.
   */
  readonly clientTools?: ClientTools
  /**
   * Tools of the caller that run in this process, if the card allows `clientTools`. Only the root run gets them,
   * under the names `client__<name>`. They are not stored, so a resumed run does not have them.
   */
  readonly tools?: readonly ToolDefinition[]
  /**
   * Answers model calls and tool calls of the run and all runs below it in place of models and tools. Not
   * stored, so a resumed run does not have it, and not allowed on workers.
   */
  readonly interceptor?: RunInterceptor
  /**
   * Instructions of the caller. They follow those of the agent in its system message, and do not replace them.
   * Children and the agents of a composition do not get them.
   */
  readonly clientInstructions?: string
  /**
   * Called each time that a run that is not fully stored only waits for results of `clientTools`. It continues
   * after the decisions. Default: such calls fail.
   */
  readonly onSuspend?: () => void
  /** Data that is stored with the run and returned with it unchanged. */
  readonly note?: JsonObject
  /**
   * Trace context of the caller, from its headers or the `_meta` of its request. The run then belongs to the
   * trace of the caller, also after a resume. An invalid one is ignored.
   */
  readonly traceContext?: TraceContext | undefined
  /**
   * Output format, instead of the agent's own. JSON without a schema must match the agent's schema, if it has
   * one.
   */
  readonly output?: OutputContract
}

/** A model that can replace those of the cards (`model`). */
export interface ModelChoice {
  /** A model id, or a name of `models` in the configuration. */
  readonly id: string
  /** Model ids that the name stands for, in fallback order. */
  readonly means?: readonly string[]
  /** Maximum number of tokens of a request and its answer together; `undefined` if not known. */
  readonly contextWindow?: number
}

/** One message of a conversation that the caller stores. */
export interface EarlierMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  /** Calls of `clientTools` that an assistant message contains. */
  readonly calls?: readonly EarlierCall[]
  /** In a `tool` message: the call that `text` is the result of. */
  readonly callId?: string
}

/** A call of a tool of the caller in an earlier message. */
export interface EarlierCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
}

/** A conversation: root runs of one agent, each starting with the messages of the previous one. */
export interface Conversation {
  readonly sessionId: string
  readonly principal: string
  readonly agent: string
  /** The last run, from which the next one starts. */
  readonly lastRunId: string
  readonly runs: number
  /** Time at which its last run started, was resumed or ended, wall time in ms. */
  readonly changedAt: number
  /** True if a run of it is active or waits for a decision. Another run is then refused. */
  readonly busy: boolean
}

/** Owner of the conversations to look up. Default: `local`. */
export interface ConversationOwner {
  readonly principal?: string
}

/** Interface between all user interfaces and the host, which implements it. */
export interface AgentRunner {
  /** Returns the agents that can be run, the entry agent first. */
  agents(): readonly AgentDefinition[]
  /**
   * Runs an agent, by default the entry agent. Resolves for every outcome; rejects only on misuse, such as an
   * unknown agent.
   */
  run(agent: string | undefined, input: string | JsonObject, options?: RunOptions): Promise<RunReport>
  /** Returns the conversation with this id; `undefined` if the principal has none. */
  session(sessionId: string, owner?: ConversationOwner): Promise<Conversation | undefined>
  /** Returns the conversations of a principal, the last changed first. */
  sessions(owner?: ConversationOwner & { readonly limit?: number }): Promise<readonly Conversation[]>
}

/** Default principal of a run. */
export const LOCAL_PRINCIPAL = 'local'

/** Converts usage to the format of a report. */
export function toUsageReport(usage: Usage, unpriced: readonly string[]): UsageReport {
  return {
    inputTokens: usage.input,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
    outputTokens: usage.output,
    reasoningTokens: usage.reasoning,
    cost: usage.unpriced > 0 ? null : usage.micros / 1_000_000,
    unpriced,
    estimated: usage.estimated > 0,
    modelCalls: usage.modelCalls,
    toolCalls: usage.toolCalls,
  }
}
