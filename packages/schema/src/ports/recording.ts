import type { Failure } from '../errors/errors.ts'
import type { RunEvent } from '../events/event.ts'
import type { Json, JsonObject, MaybePromise } from '../text/json.ts'
import type { ToolResult } from '../values/tool-result.ts'
import type { Usage } from '../values/usage.ts'
import type { PreparedAgent } from './prepared-agent.ts'

/**
 * Observes a run tree that is recorded or replayed. Requests contain `{{secret:NAME}}` in place of secrets.
 */
export interface RunTreeRecording {
  /** Called when the session of a run is ready. */
  onSessionReady(runId: string, prepared: PreparedAgent): void
  /** Called before a model request. */
  onModelRequest(runId: string, request: JsonObject): void
  /** Replaces models, tools and people; `undefined` if the run tree is only recorded. */
  readonly replay?: RunTreeReplay
}

/**
 * Recorded answers of models, tools and people. A promise stays pending if the run differs from the
 * recording, because the run tree is then cancelled.
 */
export interface RunTreeReplay {
  /** Resolves with the answer to the last request when its turn has come. */
  answer(runId: string): Promise<ReplayedAnswer>
  call(runId: string, callId: string): ReplayedCall
}

/** A recorded answer of a model. */
export interface ReplayedAnswer {
  /** Value of its `llm:` step; `undefined` if the call failed. */
  readonly step?: Json
  readonly failure?: Failure
  readonly partialText?: string
  /** True if the call failed and was retried. */
  readonly isRetried: boolean
  readonly usage: Usage
}

/** A recorded call of a tool. */
export interface ReplayedCall {
  /** The child runs that the call opened, in order. */
  readonly children: readonly {
    readonly attempt: number
    readonly agent: string
    readonly input: string
    /** Arguments of the call if a hook changed them. */
    readonly args?: JsonObject
  }[]
  /** Resolves with the result of the call when its turn has come. */
  result(): Promise<{
    readonly result: ToolResult
    readonly attempts: number
    /** Size of the arguments in bytes if they contain a secret; otherwise it is computed from them. */
    readonly bytesIn?: number
  }>
}

/** The persisted steps and events of one run of an interrupted run tree. */
export interface PersistedRun {
  readonly steps: ReadonlyMap<string, Json>
  readonly events: readonly RunEvent[]
}

/** Time that a run had used before its run tree was resumed, in ms. */
export interface TimeBeforeResume {
  /** Time from its first start to the resume. */
  readonly durationMs: number
  /** The part of it in which the run was active. */
  readonly activeMs: number
}

/** The persisted state of a resumed run tree. Work that its runs completed is not repeated. */
export interface ResumeState {
  /** Number of runs that had started. */
  readonly runCount: number
  /** The last persisted event. */
  readonly last: { readonly seq: number; readonly time: number }
  /** Returns true for a run that had started. */
  hasRun(runId: string): boolean
  /** Returns the persisted state of a run that continues, or whose result is reused. */
  readRun(runId: string): MaybePromise<PersistedRun | undefined>
  /** Returns the events of a run and the runs below it, in order. */
  eventsBelow(runId: string): readonly RunEvent[]
  /** Returns the time that a run had used before the resume; `undefined` if it had not started. */
  timeBefore(runId: string): TimeBeforeResume | undefined
  /** Time of the resume, on the monotonic clock of the run tree. */
  readonly resumedAt: number
  /**
   * Returns the start events of runs that have no end and were not continued by the resume, deepest first.
   */
  abandonedRunStarts(): readonly Extract<RunEvent, { readonly type: 'run-start' }>[]
}
