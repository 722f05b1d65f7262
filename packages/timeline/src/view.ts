import type {
  ContentPart,
  Failure,
  JsonObject,
  Outcome,
  Question,
  RunOutput,
  ToolSource,
  Usage,
} from '@troupe/schema'

/** The runs of one root as they stand: what a panel, a page or a thread draws. Plain data, immutable. */
export interface Timeline {
  /** Undefined until the first event. */
  readonly rootRunId: string | undefined
  /** The last durable event that is in here. */
  readonly seq: number
  /** In order of their start. */
  readonly runs: readonly RunView[]
  /** Where each run stands in `runs`, by its id. */
  readonly places: ReadonlyMap<string, number>
}

/** A run waits while a person is asked. */
export type RunState = 'waiting' | 'running' | 'done'

/** A call is queued until its tool starts: while it waits for a slot, an approval or a hook. */
export type CallState = 'queued' | 'running' | 'done'

/** One run of one agent. Texts of models and tools are as they came: whoever shows them escapes them. */
export interface RunView {
  readonly runId: string
  readonly parentRunId?: string
  /** The call of the parent that opened it. */
  readonly callId?: string
  readonly agent: string
  /** `NAME[i]`, or `NAME` for a root. */
  readonly instance: string
  readonly depth: number
  readonly state: RunState
  /** Once it is done. */
  readonly outcome?: Outcome
  readonly error?: Failure
  /** What it does now, in a few plain words; control characters are removed. */
  readonly activity: string
  readonly input: string
  /** The model called last, else the first of its list. */
  readonly model: string
  /** From 1; 0 before the first. */
  readonly turn: number
  /** In the order called. */
  readonly calls: readonly CallView[]
  /** Approvals that nobody has given an answer to. */
  readonly approvals: readonly ApprovalView[]
  /** The answer so far of this turn; the output once it is done. */
  readonly text: string
  readonly output?: RunOutput
  /** Its own, without its children. */
  readonly usage: Usage
  /** Wall time in ms. */
  readonly startedAt: number
  readonly endedAt?: number
  /** Wall time from its first start to its end, in ms. */
  readonly durationMs?: number
  /** The part of it in which the run was at work, in ms. */
  readonly activeMs?: number
  /** Each time its conversation became too long for the model. The last 200. */
  readonly shortenings: readonly ShorteningView[]
  /** The last 200. */
  readonly warnings: readonly WarningView[]
  /** The last 200. */
  readonly logs: readonly string[]
  /** Rows of its children shown before "n more" (B15). */
  readonly maxInstances: number
  /** Where the text block that is being written begins in `text`. */
  readonly blockStart: number
}

/** One tool call of a run. Rows of a history are grouped by `correlationId` (A92). */
export interface CallView {
  readonly callId: string
  /** Unique over all runs: the id that hooks and logs use. */
  readonly correlationId: string
  readonly toolName: string
  readonly source: ToolSource
  readonly server?: string
  readonly args: JsonObject
  readonly turn: number
  readonly state: CallState
  /** Its place in the queue of child slots of its turn as it stands, from 1, while it waits for one. */
  readonly position?: number
  /** The last thing it said of its progress. */
  readonly progress?: string
  /** The run it opened, the last one when a hook repeated it. */
  readonly childRunId?: string
  /** `NAME[i]`, where the tool is an agent. */
  readonly childInstance?: string
  /** Once it is done. */
  readonly outcome?: Outcome
  readonly content?: readonly ContentPart[]
  readonly error?: Failure
  readonly attempts: number
  readonly durationMs?: number
}

/** A question to a person that is open. */
export interface ApprovalView {
  readonly approvalId: string
  readonly callId?: string
  readonly toolName: string
  readonly args: JsonObject
  /** A question of the tool; none: whether the call may be made. */
  readonly asks?: Question
  /** Why a hook, or a rule about arguments, asks. */
  readonly reason?: string
}

/** What the model was no longer shown of a conversation, from this turn on. */
export interface ShorteningView {
  readonly turn: number
  /** Messages that are left out by then. */
  readonly droppedMessages: number
  /** Tool results that became a note of their size. */
  readonly trimmedResults: number
  /** What the model reads in place of them; none: nothing. */
  readonly summary?: string
}

/** Something that went wrong without ending the run. */
export interface WarningView {
  readonly code: string
  readonly message: string
}

/** A timeline without any event. */
export function emptyTimeline(): Timeline {
  return { rootRunId: undefined, seq: 0, runs: [], places: new Map() }
}

/** The run of that id, if it has started. */
export function findRun(timeline: Timeline, runId: string): RunView | undefined {
  const place = timeline.places.get(runId)
  return place === undefined ? undefined : timeline.runs[place]
}
