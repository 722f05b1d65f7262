import type { ToolSource } from '../agents/tool.ts'
import type { Failure, Outcome } from '../errors/errors.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { Citation } from '../values/citation.ts'
import type { Decider } from '../values/decider.ts'
import type { OutputFile } from '../values/message.ts'
import type { Question } from '../values/question.ts'
import type { RunProblem } from '../values/run-problem.ts'
import type { ContentPart } from '../values/tool-result.ts'
import type { Usage } from '../values/usage.ts'

/** Fields that every event has, see docs/interface.md §5. */
export interface EventBase {
  /** Wall time in ms since 1970. */
  readonly time: number
  readonly runId: string
  readonly rootRunId: string
  readonly parentRunId?: string
  readonly agent: string
  readonly instance: string
  readonly depth: number
  /**
   * The tool call that the event belongs to. On `run-start` and `run-end` of a child run, the call of the
   * parent that opened it.
   */
  readonly callId?: string
  /** Tool name of the child agent if its card sets `toolName`. */
  readonly calledAs?: string
}

/** The output of a run. */
export interface RunOutput<Value = Json> {
  readonly format: 'text' | 'markdown' | 'json'
  readonly text?: string
  /** The parsed value of a JSON answer that fits its schema. */
  readonly value?: Value
  /** Files of the answer, at most 16. */
  readonly files?: readonly OutputFile[]
  /** Web pages that the provider of the model cites in `text`, at most 100. */
  readonly citations?: readonly Citation[]
}

/** Payloads by event type. */
export interface EventPayloads {
  'run-start': {
    readonly input: string
    readonly model: readonly string[]
    readonly definition: { readonly name: string; readonly digest: string; readonly version: string }
    readonly sessionId: string
    /** Rows of instances that a panel shows before "n more". */
    readonly maxInstances: number
  }
  'turn-start': { readonly turn: number }
  'text-start': { readonly turn: number }
  'text-delta': { readonly text: string }
  /** Marks the end of a text block. `text` is the whole block. */
  'text-end': { readonly turn: number; readonly text: string }
  'reasoning-delta': { readonly text: string }
  /** The call waits for a child slot at `position`, from 1. */
  'tool-queued': { readonly toolName: string; readonly position: number; readonly childInstance?: string }
  'tool-call': {
    readonly toolName: string
    readonly source: ToolSource
    readonly server?: string
    readonly args: JsonObject
    readonly turn: number
    readonly ordinal: number
    readonly toolUseId: string
    /** `NAME[i]` if the tool is an agent. */
    readonly childInstance?: string
  }
  'tool-start': { readonly toolName: string; readonly attempt: number }
  'tool-progress': { readonly toolName: string; readonly text: string }
  'tool-result': {
    readonly toolName: string
    readonly source: ToolSource
    readonly server?: string
    readonly outcome: Outcome
    readonly content: readonly ContentPart[]
    readonly error?: Failure
    readonly attempts: number
    readonly durationMs: number
    readonly bytesIn: number
    readonly bytesOut: number
    readonly childRunId?: string
    readonly childInstance?: string
  }
  'approval-request': {
    readonly approvalId: string
    readonly toolName: string
    readonly args: JsonObject
    /** The question of the tool; `undefined` for an approval request. */
    readonly asks?: Question
    /** The reason given by the hook or argument rule that asked for approval. */
    readonly reason?: string
    /**
     * When the request is denied automatically, wall time in ms, if the run asked a person who is present.
     * Otherwise the run waits for seven days.
     */
    readonly expiresAt?: number
    /** Set for a call that the client of the run executes. No person decides on it. */
    readonly client?: true
  }
  'approval-result': {
    readonly approvalId: string
    readonly toolName: string
    readonly decision: 'approved' | 'denied'
    readonly reason?: string
    /** The answer to a question of the tool. */
    readonly answer?: string
    /** The values entered in a form, or the result of a call that the client executed. */
    readonly values?: JsonObject
    /** Set if the decision is remembered for the conversation or for good. */
    readonly remember?: 'session' | 'always'
    /** Set if a remembered decision was reused and no person was involved. */
    readonly remembered?: 'session' | 'always'
    /** The person who decided, if known. */
    readonly by?: Decider
  }
  'model-retry': {
    readonly model: string
    readonly attempt: number
    readonly delayMs: number
    readonly code: string
    readonly message: string
  }
  'model-fallback': { readonly from: string; readonly to: string; readonly code: string }
  usage: {
    readonly provider: string
    readonly model: string
    readonly tokens: Usage
    /** Cost in USD; `null` if the price is not known. */
    readonly cost: number | null
    readonly latencyMs: number
    /** True if the tokens are counted from the text, because the provider reported none or wrong numbers. */
    readonly estimated: boolean
    readonly turn: number
    /** The failure of the call; `undefined` if it succeeded. */
    readonly error?: Failure
    /** The text received before the call failed. Never part of an answer. */
    readonly partialText?: string
  }
  /** A budget cap reduced the output of a model call or refused the call. Values are tokens or USD. */
  budget: { readonly kind: 'tokens' | 'cost'; readonly used: number; readonly cap: number }
  /** The conversation was shortened for the model, because it was near or beyond the context window. */
  'context-shortened': {
    readonly strategy: 'trim' | 'summarise'
    readonly reason: 'threshold' | 'overflow'
    /** Number of messages dropped so far. */
    readonly droppedMessages: number
    /** Number of tool results replaced by a note of their size in this step. */
    readonly trimmedResults: number
    /** Estimated size before and after. */
    readonly tokensBefore: number
    readonly tokensAfter: number
    /** The summary that replaces the dropped messages. */
    readonly summary?: string
    readonly turn: number
  }
  'run-waiting': { readonly approvalId: string }
  log: { readonly text: string; readonly data?: Json }
  warning: {
    readonly code: string
    readonly message: string
    /** True if the warning weakens the result, so the report lists it as a problem. */
    readonly weakens?: true
  }
  'turn-end': { readonly turn: number; readonly finishReason: string; readonly toolCalls: number }
  'run-end': {
    readonly outcome: Outcome
    readonly output: RunOutput
    readonly usage: Usage
    readonly byAgent: Readonly<Record<string, Usage>>
    readonly unpriced: readonly string[]
    readonly error?: Failure
    /** Wall time from the first start of the run to its end, in ms. */
    readonly durationMs: number
    /** The part of `durationMs` in which the run was active, in ms. Absent in stores of earlier versions. */
    readonly activeMs?: number
    /** Problems of the run and the runs below it, at most 100. Absent in stores of earlier versions. */
    readonly problems?: readonly RunProblem[]
    /** Total number of problems, including unlisted ones. */
    readonly problemCount?: number
  }
}

/** The type of an event. Pinned, because clients match on it. */
export type EventType = keyof EventPayloads

/** All event types. */
export const EVENT_TYPES: readonly EventType[] = [
  'run-start',
  'turn-start',
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-delta',
  'tool-queued',
  'tool-call',
  'tool-start',
  'tool-progress',
  'tool-result',
  'approval-request',
  'approval-result',
  'model-retry',
  'model-fallback',
  'usage',
  'budget',
  'context-shortened',
  'run-waiting',
  'log',
  'warning',
  'turn-end',
  'run-end',
]

/** Types of events that are emitted but not persisted. They have `after` instead of `seq`. */
export const TRANSIENT_EVENTS: ReadonlySet<EventType> = new Set<EventType>([
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-delta',
  'tool-progress',
  'log',
])

/** An event before it is committed, without `seq` or `after`. */
export type EventDraft = {
  readonly [T in EventType]: EventBase & { readonly type: T } & EventPayloads[T]
}[EventType]

/**
 * An event as listeners receive it. Durable events have `seq` (1..n without gaps in one run tree). Transient
 * ones have `after`, the `seq` of the last durable event before them.
 */
export type RunEvent = EventDraft & {
  /** The number of a durable event in its run tree, from 1. */
  readonly seq?: number
  /** The `seq` of the last durable event before a transient one. */
  readonly after?: number
}

/** Receives every event of a run tree, in order. Must not throw: errors are dropped and the run continues. */
export type RunListener = (event: RunEvent) => void

/** Time in ms after which an unanswered request of a suspended run is denied: seven days. */
export const APPROVAL_EXPIRY_MS: number = 7 * 24 * 60 * 60_000

/**
 * Returns the time at which an unanswered request is denied, wall time in ms. A request of a run that no process
 * executes waits for seven days, because its run asks again when it is resumed.
 */
export function requestExpiry(
  { time, expiresAt }: Pick<ApprovalRequest, 'time' | 'expiresAt'>,
  isActive: boolean,
): number {
  return isActive && expiresAt !== undefined ? expiresAt : time + APPROVAL_EXPIRY_MS
}

/** A request for an approval or an answer. */
export type ApprovalRequest = Extract<RunEvent, { readonly type: 'approval-request' }>

/**
 * Returns the approvals and questions of a run tree that people have not answered, in the order of their
 * requests.
 */
export function openApprovals(events: readonly RunEvent[]): readonly ApprovalRequest[] {
  return openRequests(events).filter(({ client }) => client === undefined)
}

/** Returns all undecided requests of a run tree: those to people, and calls that wait for the client. */
export function openRequests(events: readonly RunEvent[]): readonly ApprovalRequest[] {
  const decided = new Set(
    events.flatMap((event) => (event.type === 'approval-result' ? event.approvalId : [])),
  )
  const ended = new Set(events.flatMap((event) => (event.type === 'run-end' ? event.runId : [])))
  return events.filter(
    (event): event is ApprovalRequest =>
      event.type === 'approval-request' && !decided.has(event.approvalId) && !ended.has(event.runId),
  )
}
