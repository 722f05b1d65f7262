import type { Clock } from '@troupe/schema'

/** Once the run is stopped, a hook has this long left to finish what it does, in ms. */
const GRACE_MS = 1000

/** Counts the time that somebody works for himself; stands still while he waits for others. */
export interface ActiveTimer {
  /** Resolves when the time is used up; never rejects, may stay open for ever. */
  readonly due: Promise<void>
  /** True once the timer was stopped or is due. */
  over(): boolean
  /** Stands still until the answer is called; may overlap. */
  pause(): () => void
  stop(): void
}

/** Starts at once. An abort of `signal` leaves the grace time at most. */
export function startActiveTimer(options: {
  readonly clock: Clock
  readonly ms: number
  readonly signal: AbortSignal
}): ActiveTimer {
  const { clock, signal } = options
  const { promise: due, resolve } = Promise.withResolvers<void>()
  let left = options.ms
  let since = clock.monotonic()
  let pauses = 0
  let over = false
  let isArmed = false
  let cancel: () => void = arm()
  signal.addEventListener('abort', hurry)

  /** A pause leaves the timer alone: most are shorter than it. One that fires too early is set again. */
  function arm(): () => void {
    isArmed = true
    return clock.after(Math.max(0, left), () => {
      isArmed = false
      if (pauses > 0) return
      count()
      if (left > 0) {
        cancel = arm()
        return
      }
      stop()
      resolve()
    })
  }
  function count(): void {
    const now = clock.monotonic()
    if (pauses === 0) left -= now - since
    since = now
  }
  function hurry(): void {
    count()
    left = Math.min(left, GRACE_MS)
    cancel()
    cancel = arm()
  }
  function stop(): void {
    over = true
    cancel()
    signal.removeEventListener('abort', hurry)
  }

  return {
    due,
    over: () => over,
    pause() {
      count()
      pauses += 1
      return () => {
        count()
        pauses -= 1
        if (pauses === 0 && !over && !isArmed) cancel = arm()
      }
    },
    stop,
  }
}
