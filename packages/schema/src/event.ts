import type { Failure } from './errors.ts'
import type { Json, JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { Question } from './question.ts'
import type { RunProblem } from './run-problem.ts'
import type { ToolSource } from './tool.ts'
import type { ContentPart } from './tool-result.ts'
import type { Usage } from './usage.ts'

/** What stands on every event (docs/interface.md §5). */
export interface EventBase {
  /** Wall time in ms since 1970. */
  readonly time: number
  readonly runId: string
  readonly rootRunId: string
  readonly parentRunId?: string
  readonly agent: string
  readonly instance: string
  readonly depth: number
  /** The tool call it belongs to. On `run-start` and `run-end` of a child: the call of the parent that opened it. */
  readonly callId?: string
  /** The name of the child as a tool, where its card sets `toolName`. */
  readonly calledAs?: string
}

/** The output of a run. */
export interface RunOutput<Value = Json> {
  readonly format: 'text' | 'markdown' | 'json'
  readonly text?: string
  /** Of an answer in JSON that fits its schema. */
  readonly value?: Value
}

/** What each kind of event carries. */
export interface EventPayloads {
  'run-start': {
    readonly input: string
    readonly model: readonly string[]
    readonly definition: { readonly name: string; readonly digest: string; readonly version: string }
    readonly sessionId: string
    /** Rows of instances shown before a panel says "n more" (B15). */
    readonly maxInstances: number
  }
  'turn-start': { readonly turn: number }
  'text-start': { readonly turn: number }
  'text-delta': { readonly text: string }
  /** The whole text of the block. */
  'text-end': { readonly turn: number; readonly text: string }
  'reasoning-delta': { readonly text: string }
  /** The call waits for a child slot. */
  'tool-queued': { readonly toolName: string; readonly position: number; readonly childInstance?: string }
  'tool-call': {
    readonly toolName: string
    readonly source: ToolSource
    readonly server?: string
    readonly args: JsonObject
    readonly turn: number
    readonly ordinal: number
    readonly toolUseId: string
    /** `NAME[i]`, where the tool is an agent. */
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
    /** A question of the tool; none: whether the call may be made. */
    readonly asks?: Question
    /** Why a hook, or a rule about arguments, asks. */
    readonly reason?: string
  }
  'approval-result': {
    readonly approvalId: string
    readonly toolName: string
    readonly decision: 'approved' | 'denied'
    readonly reason?: string
    /** To a question of the tool. */
    readonly answer?: string
    /** To a form. */
    readonly values?: JsonObject
    /** It holds for the rest of the conversation, or for good. */
    readonly remember?: 'session' | 'always'
    /** Nobody was asked: it had been said before for so long. */
    readonly remembered?: 'session' | 'always'
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
    /** In USD; null: the price is not known. */
    readonly cost: number | null
    readonly latencyMs: number
    /** The provider reported no counts, or wrong ones: these are counted from the text. */
    readonly estimated: boolean
    readonly turn: number
    /** Why the call gave no answer; none: it did. */
    readonly error?: Failure
    /** What had come of the text of a call that failed. Never part of an answer. */
    readonly partialText?: string
  }
  /** A cap lowered the output of a model call or refused it. In tokens, or in USD. */
  budget: { readonly kind: 'tokens' | 'cost'; readonly used: number; readonly cap: number }
  /** The model is shown less of the conversation than there is: it was near the window of the model, or beyond it. */
  'context-shortened': {
    readonly strategy: 'trim' | 'summarise'
    readonly reason: 'threshold' | 'overflow'
    /** Messages that are left out by now. */
    readonly droppedMessages: number
    /** Tool results that became a note of their size this time. */
    readonly trimmedResults: number
    /** Estimates. */
    readonly tokensBefore: number
    readonly tokensAfter: number
    /** What the model reads in place of what was left out. */
    readonly summary?: string
    readonly turn: number
  }
  'run-waiting': { readonly approvalId: string }
  log: { readonly text: string; readonly data?: Json }
  warning: {
    readonly code: string
    readonly message: string
    /** The result is weaker for it, so the report lists it as a problem. */
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
    /** The part of `durationMs` in which the run was at work, in ms. Absent in stores of earlier versions. */
    readonly activeMs?: number
    /** Problems of the run and the runs below it, at most 100. Absent in stores of earlier versions. */
    readonly problems?: readonly RunProblem[]
    /** How many problems there were, including those that are not listed. */
    readonly problemCount?: number
  }
}

/** The name of an event. Pinned: clients match on it. */
export type EventType = keyof EventPayloads

/** Every event name. */
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

/** Events that are told and not kept: they have no `seq` but `after`. */
export const TRANSIENT_EVENTS: ReadonlySet<EventType> = new Set<EventType>([
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-delta',
  'tool-progress',
  'log',
])

/** An event before it is committed: without its place in the root's log. */
export type EventDraft = {
  readonly [T in EventType]: EventBase & { readonly type: T } & EventPayloads[T]
}[EventType]

/** An event as everybody sees it. Durable ones carry `seq` (1..n without gaps in one root), transient ones `after`, the last durable `seq` before them. */
export type RunEvent = EventDraft & { readonly seq?: number; readonly after?: number }

/** Is told every event of a root, in order. Must not throw; what it throws is dropped and the run goes on. */
export type RunListener = (event: RunEvent) => void
