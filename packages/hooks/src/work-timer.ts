import type { Clock } from '@troupe/schema'
import type { CancellationToken } from '@troupe/schema/ports'

/** Time (ms) that a hook has to finish after the run was cancelled. */
const GRACE_MS = 1000

/** The time one hook has spent itself; paused while it waits for a call it made. */
export interface HookTime {
  /** True if the hook has ended. */
  readonly isOver: boolean
  /** Monotonic time (ms) of the last pause, which is also the start time of the layer it called. */
  readonly pausedAt: number | undefined
  /** Pauses the time until `resume` has been called as often as `pause`. */
  pause(): void
  resume(): void
  /** Ends the measurement. Returns false if it had already ended. */
  end(): boolean
}

/** Measures the time of all hooks of one call. */
export interface WorkTimer {
  /**
   * Starts measuring for one hook, from the moment its caller paused. `onDue` is called when the time is up.
   */
  start(onDue: () => void, caller: HookTime | undefined): HookTime
}

/**
 * Creates a timer that gives each hook `ms`, and at most the grace period after cancellation. All hooks share
 * one clock timer, set for the earliest deadline and checked again when it fires, because nearly all calls
 * end long before.
 */
export function createWorkTimer(options: {
  readonly clock: Clock
  readonly ms: number
  readonly cancellation: CancellationToken
}): WorkTimer {
  return new SharedTimer(options)
}

/** A class, because every call with hooks creates one. */
class SharedTimer implements WorkTimer {
  readonly clock: Clock
  readonly #ms: number
  readonly #cancellation: CancellationToken
  /** Hooks that have not ended; the newest is the innermost and usually ends first. */
  readonly #running: MeasuredTime[] = []
  #cancel: (() => void) | undefined
  #removeListener: (() => void) | undefined
  #firesAt = Infinity

  constructor({
    clock,
    ms,
    cancellation,
  }: {
    readonly clock: Clock
    readonly ms: number
    readonly cancellation: CancellationToken
  }) {
    this.clock = clock
    this.#ms = ms
    this.#cancellation = cancellation
  }

  start(onDue: () => void, caller: HookTime | undefined): HookTime {
    const now = caller?.pausedAt ?? this.clock.monotonic()
    const time = new MeasuredTime(this, now + this.#ms, onDue)
    this.#running.push(time)
    this.#removeListener ??= this.#cancellation.onCancel(this.#applyGracePeriod)
    this.scheduleBy(time.dueAt, now)
    return time
  }

  /** Makes sure that the timer fires by `dueAt`. */
  scheduleBy(dueAt: number, now: number): void {
    if (dueAt >= this.#firesAt) return
    this.#cancel?.()
    this.#firesAt = dueAt
    this.#cancel = this.clock.after(Math.max(0, dueAt - now), this.#check)
  }

  remove(time: MeasuredTime): void {
    if (this.#running.at(-1) === time) this.#running.pop()
    else this.#running.splice(this.#running.indexOf(time), 1)
    if (this.#running.length > 0) return
    this.#cancel?.()
    this.#firesAt = Infinity
    this.#removeListener?.()
    this.#removeListener = undefined
  }

  readonly #check = (): void => {
    this.#firesAt = Infinity
    const now = this.clock.monotonic()
    for (const time of this.#running.slice()) {
      if (time.dueAt <= now) time.onDue()
      else if (time.dueAt < Infinity) this.scheduleBy(time.dueAt, now)
    }
  }

  readonly #applyGracePeriod = (): void => {
    const now = this.clock.monotonic()
    for (const time of this.#running) {
      time.shorten(GRACE_MS, now)
      this.scheduleBy(time.dueAt, now)
    }
  }
}

class MeasuredTime implements HookTime {
  isOver = false
  /** Deadline (monotonic ms) unless paused; `Infinity` while paused. */
  dueAt: number
  pausedAt: number | undefined
  readonly #timer: SharedTimer
  readonly onDue: () => void
  #pauses = 0
  /** Remaining ms while paused. */
  #remainingMs = 0

  constructor(timer: SharedTimer, dueAt: number, onDue: () => void) {
    this.#timer = timer
    this.onDue = onDue
    this.dueAt = dueAt
  }

  pause(): void {
    this.#pauses += 1
    this.pausedAt = this.#timer.clock.monotonic()
    if (this.#pauses > 1) return
    this.#remainingMs = this.dueAt - this.pausedAt
    this.dueAt = Infinity
  }

  resume(): void {
    this.#pauses -= 1
    if (this.#pauses > 0 || this.isOver) return
    const now = this.#timer.clock.monotonic()
    this.dueAt = now + this.#remainingMs
    this.#timer.scheduleBy(this.dueAt, now)
  }

  shorten(most: number, now: number): void {
    this.#remainingMs = Math.min(this.#remainingMs, most)
    if (this.#pauses === 0) this.dueAt = Math.min(this.dueAt, now + most)
  }

  end(): boolean {
    if (this.isOver) return false
    this.isOver = true
    this.#timer.remove(this)
    return true
  }
}
