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
  let tellDue = (): void => undefined
  const due = new Promise<void>((resolve) => {
    tellDue = resolve
  })
  let left = options.ms
  let since = clock.monotonic()
  let pauses = 0
  let over = false
  let cancel = start()
  signal.addEventListener('abort', hurry)

  function start(): () => void {
    since = clock.monotonic()
    return clock.after(Math.max(0, left), () => {
      stop()
      tellDue()
    })
  }
  function halt(): void {
    cancel()
    left -= clock.monotonic() - since
  }
  function hurry(): void {
    if (pauses === 0) halt()
    left = Math.min(left, GRACE_MS)
    if (pauses === 0) cancel = start()
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
      if (pauses === 0 && !over) halt()
      pauses += 1
      return () => {
        pauses -= 1
        if (pauses === 0 && !over) cancel = start()
      }
    },
    stop,
  }
}
