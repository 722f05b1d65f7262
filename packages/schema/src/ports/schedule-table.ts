import type { MaybePromise } from '../text/json.ts'

/**
 * State of a firing. `waiting`: no process has claimed it. `claimed`: a process starts its run. `started`:
 * its run was accepted. `skipped`: another run of the schedule had not ended. `failed`: its run was refused.
 */
export type FiringState = 'waiting' | 'claimed' | 'started' | 'skipped' | 'failed'

/** Key of a firing: a schedule and a due time, wall time in ms. */
export interface FiringKey {
  readonly schedule: string
  readonly due: number
}

/** One firing of a schedule, and the run that it starts. */
export interface Firing extends FiringKey {
  readonly runId: string
  readonly state: FiringState
}

/** A schedule in a store. */
export interface StoredSchedule {
  readonly name: string
  /** Text that changes with the due times of the schedule. */
  readonly definition: string
  readonly isPaused: boolean
  /** Latest time up to which all due times were handled, wall time in ms. */
  readonly handledUntil: number
}

/** The holder of a claim, and the time before which earlier claims have expired. */
export interface FiringClaim {
  readonly owner: string
  readonly now: number
  readonly expiredBefore: number
}

/** Number of settled firings that are stored per schedule. Older ones are deleted. */
export const MAX_FIRINGS = 100

/**
 * Persists schedules and their firings, so that each due time fires once over all processes of the store.
 * Every method is atomic. Times are wall times in ms of the caller.
 */
export interface ScheduleTable {
  /** Returns the stored schedules, by name. */
  list(): MaybePromise<readonly StoredSchedule[]>
  /**
   * Adds a schedule, or replaces its definition. Due times up to `now` then count as handled. Has no effect
   * if the definition is stored.
   */
  register(schedule: {
    readonly name: string
    readonly definition: string
    readonly now: number
  }): MaybePromise<void>
  /**
   * Pauses or resumes a schedule. When it is resumed, due times up to `now` count as handled. Has no effect
   * if it is in that state. Returns false if the schedule is not stored.
   */
  setPaused(name: string, isPaused: boolean, now: number): MaybePromise<boolean>
  /**
   * Adds the firings of a schedule that are not stored, and raises `handledUntil`. Deletes the oldest settled
   * firings above {@link MAX_FIRINGS}.
   */
  add(
    name: string,
    firings: readonly (Pick<Firing, 'due' | 'runId'> & { readonly state: 'waiting' | 'started' })[],
    handledUntil?: number,
  ): MaybePromise<void>
  /**
   * Claims a firing that is waiting or whose claim has expired. Returns false for other firings, and while
   * another firing of the schedule has a claim that has not expired.
   */
  claim(firing: FiringKey, claim: FiringClaim): MaybePromise<boolean>
  /** Sets the state of a claimed firing. Has no effect if the owner has lost the claim. */
  settle(firing: FiringKey, owner: string, state: Exclude<FiringState, 'claimed'>): MaybePromise<void>
  /** Returns firings, the latest due time first: those of one schedule, or those in some states. */
  firings(query: {
    readonly schedule?: string
    readonly states?: readonly FiringState[]
    readonly limit: number
  }): MaybePromise<readonly Firing[]>
}
