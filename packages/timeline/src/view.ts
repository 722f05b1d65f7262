import type {
  ContentPart,
  Failure,
  JsonObject,
  Outcome,
  Question,
  RunOutput,
  ToolSource,
  Usage,
  RunEvent,
} from '@troupe/schema'

/** The view state of one run tree, as a panel, a page or a Slack thread shows it. Plain and immutable. */
export interface Timeline {
  /** `undefined` until the first event. */
  readonly rootRunId: string | undefined
  /** The `seq` of the last durable event that is included. */
  readonly seq: number
  /** Runs in order of their start. */
  readonly runs: readonly TimelineRun[]
  /** Index of each run in `runs`, by run id. */
  readonly runIndexes: ReadonlyMap<string, number>
}

/** State of a run. A run is `waiting` while an approval or a question is open. */
export type TimelineRunState = 'waiting' | 'running' | 'done'

/**
 * State of a call. It is `queued` until its tool starts, while it waits for a slot, an approval or a hook.
 */
export type CallState = 'queued' | 'running' | 'done'

/** The view state of one run. Texts of models and tools are unescaped, so the renderer must escape them. */
export interface TimelineRun {
  readonly runId: string
  readonly parentRunId?: string
  /** The call of the parent that opened this run. */
  readonly callId?: string
  readonly agent: string
  /** `NAME[i]`, or `NAME` for the root run. */
  readonly instance: string
  readonly depth: number
  readonly state: TimelineRunState
  /** Present once the run is done. */
  readonly outcome?: Outcome
  readonly error?: Failure
  /** Short text about the current activity, without control characters. */
  readonly activity: string
  readonly input: string
  /** The model called last, or else the first of the run's list. */
  readonly model: string
  /** Number of the current turn, from 1; 0 before the first turn. */
  readonly turn: number
  /** Calls in call order. */
  readonly calls: readonly CallView[]
  /** Open approval requests and questions. */
  readonly approvals: readonly ApprovalView[]
  /** The answer so far in the current turn; the output once the run is done. */
  readonly text: string
  readonly output?: RunOutput
  /** Usage of the run without its children. */
  readonly usage: Usage
  /** Wall time in ms. */
  readonly startedAt: number
  readonly endedAt?: number
  /** Wall time from the first start of the run to its end, in ms. */
  readonly durationMs?: number
  /** The part of `durationMs` in which the run was active, in ms. */
  readonly activeMs?: number
  /** The last 200 times that the context was shortened. */
  readonly shortenings: readonly ShorteningView[]
  /** The last 200 warnings. */
  readonly warnings: readonly WarningView[]
  /** The last 200 log lines. */
  readonly logs: readonly string[]
  /** Rows of children that are shown before "n more". */
  readonly maxInstances: number
  /** Start of the current text block in `text`. */
  readonly blockStart: number
}

/** The view state of one tool call. Rows of a history are grouped by `correlationId`. */
export interface CallView {
  readonly callId: string
  /** The id that hooks and logs use. Unique across all runs. */
  readonly correlationId: string
  readonly toolName: string
  readonly source: ToolSource
  readonly server?: string
  readonly args: JsonObject
  readonly turn: number
  readonly state: CallState
  /**
   * Current position in the turn's queue for child slots, from 1. Present while the call waits for a slot.
   */
  readonly position?: number
  /** The latest progress text. */
  readonly progress?: string
  /** The run that the call opened; the last one if a hook repeated the call. */
  readonly childRunId?: string
  /** `NAME[i]` if the tool is an agent. */
  readonly childInstance?: string
  /** Present once the call is done. */
  readonly outcome?: Outcome
  readonly content?: readonly ContentPart[]
  readonly error?: Failure
  readonly attempts: number
  readonly durationMs?: number
}

/** An open approval request or question. */
export interface ApprovalView {
  readonly approvalId: string
  readonly callId?: string
  readonly toolName: string
  readonly args: JsonObject
  /** The question of the tool; `undefined` for an approval request. */
  readonly asks?: Question
  /** The reason given by the hook or argument rule that asked for approval. */
  readonly reason?: string
  /** Wall time of the request, in ms. */
  readonly time: number
  /** When the request is denied automatically, wall time in ms, if the run asked a person who is present. */
  readonly expiresAt?: number
}

/** A shortening of the context: what the model no longer sees from this turn on. */
export interface ShorteningView {
  readonly turn: number
  /** Number of messages dropped so far. */
  readonly droppedMessages: number
  /** Number of tool results that were replaced by a note of their size. */
  readonly trimmedResults: number
  /** The summary that replaces the dropped messages; `undefined` if there is none. */
  readonly summary?: string
}

/** A problem that did not end the run. */
export interface WarningView {
  readonly code: string
  readonly message: string
}

/** Returns a timeline without any runs. */
export function emptyTimeline(): Timeline {
  return { rootRunId: undefined, seq: 0, runs: [], runIndexes: new Map() }
}

/** Returns the run with this id; `undefined` if it has not started. */
export function findRun(timeline: Timeline, runId: string): TimelineRun | undefined {
  const index = timeline.runIndexes.get(runId)
  return index === undefined ? undefined : timeline.runs[index]
}

/** Returns the id that identifies one tool call across all runs in hooks, events and logs. */
export function correlationId(runId: string, callId: string): string {
  return `${runId}:${callId}`
}

/**
 * Returns the correlation id of the call that an event belongs to. Start and end of a child run belong to the
 * call of the parent that opened it.
 */
export function eventCorrelation(event: RunEvent): string | undefined {
  if (event.callId === undefined) return undefined
  const isEdge = event.type === 'run-start' || event.type === 'run-end'
  return correlationId(isEdge ? (event.parentRunId ?? event.runId) : event.runId, event.callId)
}
