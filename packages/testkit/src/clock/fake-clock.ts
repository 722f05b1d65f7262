import type { Clock } from '@troupe/schema'

/** A clock that only moves when `advance` is called. */
export interface FakeClock extends Clock {
  /**
   * Advances by `ms`: fires due timers in order of time and registration, and turns the event loop before and
   * after each.
   */
  advance(ms: number): Promise<void>
  /** Returns the number of timers that have neither fired nor been cancelled. */
  pending(): number
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/** Creates a clock for tests. `start` is the wall time in ms; monotonic time starts at 0. */
export function fakeClock(start = 0): FakeClock {
  let now = start
  const timers = new Set<Timer>()

  function nextDue(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers)
      if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer
    return next
  }

  return {
    now: () => now,
    monotonic: () => now - start,
    after(ms, fn) {
      const timer = { at: now + Math.max(0, ms), fire: fn }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    pending: () => timers.size,
    async advance(ms) {
      const until = now + ms
      await settle()
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        timers.delete(timer)
        now = timer.at
        timer.fire()
        await settle()
      }
      now = until
    },
  }
}

/** Maximum number of steps in {@link advanceUntil}. */
const MAX_STEPS = 1000

/**
 * Advances the clock in steps of `stepMs` until the promise settles, at most 1000 times. Returns the promise.
 */
export async function advanceUntil<T>(clock: FakeClock, running: Promise<T>, stepMs = 10): Promise<T> {
  const state = { isSettled: false }
  const settled = (): void => {
    state.isSettled = true
  }
  running.then(settled, settled)
  for (let steps = 0; !state.isSettled && steps < MAX_STEPS; steps += 1) await clock.advance(stepMs)
  return running
}

const TURNS = 5

/**
 * Turns the event loop a few times, so that promises settle, immediates run and ready sockets are read. Does
 * not wait for timers.
 */
export async function settle(turns: number = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A promise that is settled from outside. Settling it twice has no effect. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

/** Creates a promise that a test settles, to control the order of events without waiting. */
export function deferred<T = void>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => undefined
  let reject: Deferred<T>['reject'] = () => undefined
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** The system clock with manual control over timers of one duration. */
export interface HeldClock {
  readonly clock: Clock
  /** Fires the pending timers of that duration. */
  expire(): void
}

/**
 * Creates a clock whose timers of exactly `ms` fire only when the test calls `expire`. For programs and
 * sockets that need real time, with a timeout that must not depend on the load of the machine.
 */
export function heldClock(ms: number): HeldClock {
  const held = new Set<() => void>()
  return {
    clock: {
      ...SYSTEM_CLOCK,
      after(delay, fn) {
        if (delay !== ms) return SYSTEM_CLOCK.after(delay, fn)
        const fire = (): void => fn()
        held.add(fire)
        return () => held.delete(fire)
      },
    },
    expire() {
      const due = [...held]
      held.clear()
      for (const fire of due) fire()
    },
  }
}

/** The system clock, needed for real sockets. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}
