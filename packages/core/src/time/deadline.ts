import type { Clock, Deadline } from '@troupe/schema'

/** A deadline that somebody owns: it is cleared when the work ends. */
export interface OwnedDeadline extends Deadline {
  clear(): void
}

interface DeadlineOptions {
  readonly ms: number
  readonly clock: Clock
  readonly above?: Deadline | undefined
  readonly onExpire: () => void
}

/** Active time until `onExpire`. Stands still while paused; a pause reaches every deadline above (decision 5). */
export function createDeadline(options: DeadlineOptions): OwnedDeadline {
  return new PausableDeadline(options)
}

/** A class, as every child that waits has one. */
class PausableDeadline implements OwnedDeadline {
  readonly #clock: Clock
  readonly #above: Deadline | undefined
  readonly #onExpire: () => void
  #left: number
  #startedAt = 0
  #pauses = 0
  #cancel: (() => void) | undefined

  constructor({ ms, clock, above, onExpire }: DeadlineOptions) {
    this.#clock = clock
    this.#above = above
    this.#onExpire = onExpire
    this.#left = ms
    this.#arm()
  }

  remaining(): number {
    return Math.max(0, this.#left - this.#elapsed())
  }

  pause(): () => void {
    const resumeAbove = this.#above?.pause()
    if (this.#pauses === 0) {
      this.#left = this.remaining()
      this.#cancel?.()
    }
    this.#pauses += 1
    return once(() => {
      this.#pauses -= 1
      if (this.#pauses === 0 && this.#cancel !== undefined) this.#arm()
      resumeAbove?.()
    })
  }

  clear(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #arm(): void {
    this.#startedAt = this.#clock.monotonic()
    this.#cancel = this.#clock.after(this.#left, this.#onExpire)
  }

  #elapsed(): number {
    return this.#pauses > 0 ? 0 : this.#clock.monotonic() - this.#startedAt
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
