import type { Clock, Deadline } from '@troupe/schema'

/** A deadline that somebody owns: it is cleared when the work ends. */
export interface OwnedDeadline extends Deadline {
  clear(): void
}

/** Active time until `onExpire`. Stands still while paused; a pause reaches every deadline above (decision 5). */
export function createDeadline(options: {
  readonly ms: number
  readonly clock: Clock
  readonly above?: Deadline | undefined
  onExpire(): void
}): OwnedDeadline {
  const { clock, above } = options
  let left = options.ms
  let startedAt = clock.monotonic()
  let pauses = 0
  let cancel: (() => void) | undefined
  const arm = (): void => {
    startedAt = clock.monotonic()
    cancel = clock.after(left, options.onExpire)
  }
  const elapsed = (): number => (pauses > 0 ? 0 : clock.monotonic() - startedAt)
  arm()
  return {
    remaining: () => Math.max(0, left - elapsed()),
    pause: () => {
      const resumeAbove = above?.pause()
      if (pauses === 0) {
        left = Math.max(0, left - elapsed())
        cancel?.()
      }
      pauses += 1
      return once(() => {
        pauses -= 1
        if (pauses === 0 && cancel !== undefined) arm()
        resumeAbove?.()
      })
    },
    clear: () => {
      cancel?.()
      cancel = undefined
    },
  }
}

function once(fn: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    fn()
  }
}
