import type { Clock, StopSource } from '@troupe/schema'

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
  readonly stop: StopSource
}): WorkTimer {
  return new SharedTimer(options)
}

/** A class, because every call with hooks creates one. */
class SharedTimer implements WorkTimer {
  readonly clock: Clock
  readonly #ms: number
  readonly #stop: StopSource
  /** Hooks that have not ended; the newest is the innermost and usually ends first. */
  readonly #started: OwnTime[] = []
  #cancel: (() => void) | undefined
  #offStop: (() => void) | undefined
  #firesAt = Infinity

  constructor({
    clock,
    ms,
    stop,
  }: {
    readonly clock: Clock
    readonly ms: number
    readonly stop: StopSource
  }) {
    this.clock = clock
    this.#ms = ms
    this.#stop = stop
  }

  start(onDue: () => void, caller: HookTime | undefined): HookTime {
    const now = caller?.pausedAt ?? this.clock.monotonic()
    const time = new OwnTime(this, now + this.#ms, onDue)
    this.#started.push(time)
    this.#offStop ??= this.#stop.onStop(this.#hurry)
    this.expect(time.dueAt, now)
    return time
  }

  /** Makes sure that the timer fires by `dueAt`. */
  expect(dueAt: number, now: number): void {
    if (dueAt >= this.#firesAt) return
    this.#cancel?.()
    this.#firesAt = dueAt
    this.#cancel = this.clock.after(Math.max(0, dueAt - now), this.#check)
  }

  remove(time: OwnTime): void {
    if (this.#started.at(-1) === time) this.#started.pop()
    else this.#started.splice(this.#started.indexOf(time), 1)
    if (this.#started.length > 0) return
    this.#cancel?.()
    this.#firesAt = Infinity
    this.#offStop?.()
    this.#offStop = undefined
  }

  readonly #check = (): void => {
    this.#firesAt = Infinity
    const now = this.clock.monotonic()
    for (const time of this.#started.slice()) {
      if (time.dueAt <= now) time.onDue()
      else if (time.dueAt < Infinity) this.expect(time.dueAt, now)
    }
  }

  readonly #hurry = (): void => {
    const now = this.clock.monotonic()
    for (const time of this.#started) {
      time.shorten(GRACE_MS, now)
      this.expect(time.dueAt, now)
    }
  }
}

class OwnTime implements HookTime {
  isOver = false
  /** Deadline (monotonic ms) unless paused; `Infinity` while paused. */
  dueAt: number
  pausedAt: number | undefined
  readonly #timer: SharedTimer
  readonly onDue: () => void
  #pauses = 0
  /** Remaining ms while paused. */
  #left = 0

  constructor(timer: SharedTimer, dueAt: number, onDue: () => void) {
    this.#timer = timer
    this.onDue = onDue
    this.dueAt = dueAt
  }

  pause(): void {
    this.#pauses += 1
    this.pausedAt = this.#timer.clock.monotonic()
    if (this.#pauses > 1) return
    this.#left = this.dueAt - this.pausedAt
    this.dueAt = Infinity
  }

  resume(): void {
    this.#pauses -= 1
    if (this.#pauses > 0 || this.isOver) return
    const now = this.#timer.clock.monotonic()
    this.dueAt = now + this.#left
    this.#timer.expect(this.dueAt, now)
  }

  shorten(most: number, now: number): void {
    this.#left = Math.min(this.#left, most)
    if (this.#pauses === 0) this.dueAt = Math.min(this.dueAt, now + most)
  }

  end(): boolean {
    if (this.isOver) return false
    this.isOver = true
    this.#timer.remove(this)
    return true
  }
}
