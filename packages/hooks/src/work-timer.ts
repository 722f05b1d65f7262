import type { Clock, StopSource } from '@troupe/schema'

/** Once the run is stopped, a hook has this long left to finish what it does, in ms. */
const GRACE_MS = 1000

/** The time that one hook works for itself; stands still while it waits for what it called. */
export interface HookTime {
  /** True once it was ended, or is used up. */
  readonly isOver: boolean
  /** When it last called on: what it called begins then. */
  readonly pausedAt: number | undefined
  /** Stands still until as many calls of `resume`. */
  pause(): void
  resume(): void
  /** False: it was over already. */
  end(): boolean
}

/** Counts the time of all hooks of one call. */
export interface WorkTimer {
  /** Starts counting for one hook, from when its caller paused; `onDue` is called once when its time is used up. */
  start(onDue: () => void, caller: HookTime | undefined): HookTime
}

/**
 * Each hook has `ms`; when the run stops, the grace time at most. One timer serves all of them: it is set for the earliest that may be
 * due, and looks again when it fires, as nearly all calls end long before.
 */
export function createWorkTimer(options: {
  readonly clock: Clock
  readonly ms: number
  readonly stop: StopSource
}): WorkTimer {
  return new SharedTimer(options)
}

/** A class, as every call with hooks has one. */
class SharedTimer implements WorkTimer {
  readonly clock: Clock
  readonly #ms: number
  readonly #stop: StopSource
  /** Those that are not over; the newest is the innermost and ends first. */
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

  /** Sees to it that the timer fires by then. */
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
  /** When it is used up if nothing pauses it; Infinity: it stands still. */
  dueAt: number
  pausedAt: number | undefined
  readonly #timer: SharedTimer
  readonly onDue: () => void
  #pauses = 0
  /** What is left, while it stands still. */
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
