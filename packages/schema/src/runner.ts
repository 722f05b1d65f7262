import type { AgentDefinition, OutputContract } from './agent.ts'
import type { Attachment } from './attachment.ts'
import type { Failure } from './errors.ts'
import type { RunListener, RunOutput } from './event.ts'
import type { Json, JsonObject, MaybePromise } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { Approver } from './ports/approver.ts'
import type { Asker } from './ports/asker.ts'
import type { Budget } from './ports/purse.ts'
import type { SpendingLimit } from './ports/spending-limit.ts'
import type { RunProblems } from './run-problem.ts'
import type { Usage } from './usage.ts'

/** Usage as `--json` prints it. Cost in USD; null when the price of a model is not known. */
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

/** What a run gives its caller, for every outcome: the object of `--json`. */
export interface RunReport<Value = Json> extends RunProblems {
  readonly runId: string
  readonly agent: string
  /** How the run ended: `completed`, or why there is no whole answer. */
  readonly outcome: Outcome
  readonly output: RunOutput<Value>
  readonly error?: Failure
  readonly usage: UsageReport & { readonly byAgent: Readonly<Record<string, UsageReport>> }
  readonly sessionId: string
  /** Wall time from the first start of the run to its end, in ms: waiting for a person and time without a process included. */
  readonly durationMs: number
  /**
   * The part of `durationMs` in which the run was at work, in ms: without the time in which it or a run below it waited for a person,
   * and without the time in which no process worked on it.
   */
  readonly activeMs: number
}

/** What a caller may say of a run. */
export interface RunOptions {
  readonly signal?: AbortSignal
  readonly onEvent?: RunListener
  /** False: `onEvent` is not told what is never kept: deltas, progress, logs. Answers may then be asked for in one piece. Default: true. */
  readonly deltas?: boolean
  readonly approve?: Approver
  /** Answers what tools ask a person (`human.ask`); none: nobody does. */
  readonly ask?: Asker
  /** Nobody is asked, so tools that need an approval are not offered, to the agent or to any below it (R16). Not together with `approve`. */
  readonly headless?: boolean
  /**
   * What asks and has nobody to ask leaves the run waiting, where it is kept as a whole: it ends with `run_waiting` and goes on from where it is
   * when somebody has decided. Default: what asks is denied.
   */
  readonly wait?: boolean
  /**
   * A `signal` that aborts interrupts the run: it ends here, and what is kept of it can be resumed. A function says so of the reason that it aborts with.
   * Default: it is cancelled for good.
   */
  readonly resumable?: boolean | ((reason: unknown) => boolean)
  /**
   * Goes on with the conversation of this id, which is one of `principal` with this agent, or begins it. A conversation has one run at a time: another one
   * is refused with `session_busy`, and another agent with `session_mismatch`. Default: the run begins one with the id of the run.
   */
  readonly sessionId?: string
  /** Refuses a `sessionId` that there is no conversation of, with `session_unknown`; that of another principal likewise. Default: it is begun. */
  readonly continueOnly?: boolean
  /** Whom the run works for; kept with it. Conversations are those of one principal. Default: `local`. */
  readonly principal?: string
  /** What was said before the input, where the caller keeps the conversation. Not together with `sessionId`. */
  readonly messages?: readonly EarlierMessage[]
  readonly runId?: string
  /** Asked by every agent of the run, in place of the models of the cards: an id, or a name of `models` in the configuration. */
  readonly model?: string
  /** In ms; replaces `limits.timeout`. */
  readonly timeout?: number
  /** Holds beside the limits of the card: the lower cap counts. */
  readonly budget?: Budget
  /** What all runs of the principal may use together; made by `createSpendingLimit` of `@troupe/core`. Default: no limit. */
  readonly spendingLimit?: SpendingLimit
  /** Files that go to the model with the input: pictures, PDF, text. Compositions take none. */
  readonly attachments?: readonly Attachment[]
  /** Is given the run written down, when it has ended: a text that `replay` of a host plays again. Secrets stand in it by name. */
  readonly record?: (cassette: string) => MaybePromise<void>
  /** Kept with the run and given back with it: nothing looks into it. */
  readonly note?: JsonObject
  /** The form of the answer, in place of the agent's own. JSON without a schema is held to the schema of the agent, where it has one. */
  readonly output?: OutputContract
}

/** A model that can be asked in place of those of the cards (`model`). */
export interface ModelChoice {
  /** The id, or a name of `models` in the configuration. */
  readonly id: string
  /** The ids that a name stands for, in order of fallback. */
  readonly means?: readonly string[]
}

/** One turn of a conversation that its caller keeps. */
export interface EarlierMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** A conversation: root runs of one agent, each of which starts from the messages of the one before it. */
export interface Conversation {
  readonly sessionId: string
  readonly principal: string
  readonly agent: string
  /** Its last run, from which the next one starts. */
  readonly lastRunId: string
  readonly runs: number
  /** When its last run began, went on or ended, wall time in ms. */
  readonly changedAt: number
  /** A run of it is at work or waits for a decision: another one is refused. */
  readonly busy: boolean
}

/** Whom a conversation is looked up for. Default: `local`. */
export interface ConversationOwner {
  readonly principal?: string
}

/** What every surface needs; host implements it. */
export interface AgentRunner {
  /** The agents that can be run, the entry first. */
  agents(): readonly AgentDefinition[]
  /** Resolves for every outcome; rejects only on misuse, such as an unknown agent. No name: the entry. */
  run(agent: string | undefined, input: string | JsonObject, options?: RunOptions): Promise<RunReport>
  /** The conversation of an id; undefined: the principal has none. */
  session(sessionId: string, owner?: ConversationOwner): Promise<Conversation | undefined>
  /** The conversations of a principal, the last changed first. */
  sessions(owner?: ConversationOwner & { readonly limit?: number }): Promise<readonly Conversation[]>
}

/** Whom a run works for where nobody is named. */
export const LOCAL_PRINCIPAL = 'local'

/** Usage in the words of the report. */
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
