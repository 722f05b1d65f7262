import type { RunEvent } from '../event.ts'
import type { Json, MaybePromise } from '../json.ts'

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
