import type { RunEvent } from '../event.ts'
import type { Json, MaybePromise } from '../json.ts'

/** What is kept of one run of a root that was interrupted. */
export interface PastRun {
  readonly steps: ReadonlyMap<string, Json>
  readonly events: readonly RunEvent[]
}

/** What a run had used of time before its root was resumed, in ms. */
export interface PastTime {
  /** From its first start to the moment of the resume. */
  readonly durationMs: number
  /** The part of it in which the run was at work. */
  readonly activeMs: number
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
  /** Returns the time that a run had used before the resume, or `undefined` if it had not begun. */
  timeBefore(runId: string): PastTime | undefined
  /** The moment of the resume, on the monotonic clock of the root. */
  readonly resumedAt: number
  /** The beginnings of runs that have no end and that nobody asked for: those above them had given them up. The deepest first. */
  abandoned(): readonly Extract<RunEvent, { readonly type: 'run-start' }>[]
}
