import type { Clock } from '@troupe/schema'
import type { Deadline } from '@troupe/schema/ports'

/** The system clock. Timers keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms: number, fn: () => void) => {
    const timer = setTimeout(fn, Math.min(ms, MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
})

/** Maximum delay of a timer. A longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647

/** Time in ms that a cancelled child may take to end before it is abandoned, per level of agents below. */
export const GRACE_MS = 500

/** Maximum time in ms for the last hook or for releasing resources, after a cancellation. */
export const CLEANUP_MS = 200

/** Maximum time in ms for which a completed root run waits for the release of its resources. */
export const RELEASE_MS = 10_000

/** Settles with the promise, or resolves with `undefined` after `ms` and ignores the promise. */
export function withTimeout<T>(promise: PromiseLike<T>, ms: number, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(undefined))
    promise.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error: unknown) => {
        cancel()
        reject(error)
      },
    )
  })
}

/** A deadline with the controls of its owner, who clears it when the work ends. */
export interface OwnedDeadline extends Deadline {
  /** Returns the total paused time in ms. */
  paused(): number
  /** Pauses this deadline only. Returns a function that continues it. */
  pauseAlone(): () => void
  clear(): void
}

interface DeadlineOptions {
  /** Limit in ms. With `Infinity` the deadline never expires and only measures its pauses. */
  readonly ms: number
  readonly clock: Clock
  readonly parent?: Deadline | undefined
  readonly onExpire: () => void
}

/** Creates a deadline that measures active time. A pause also pauses its parent deadlines. */
export function createDeadline(options: DeadlineOptions): OwnedDeadline {
  return new PausableDeadline(options)
}

/** A class to save memory: every waiting child has one. */
class PausableDeadline implements OwnedDeadline {
  readonly #clock: Clock
  readonly #parent: Deadline | undefined
  readonly #onExpire: () => void
  #left: number
  #startedAt = 0
  #pauses = 0
  #pausedAt = 0
  /** Total length of the finished pauses in ms. */
  #pausedMs = 0
  #cancel: (() => void) | undefined

  constructor({ ms, clock, parent, onExpire }: DeadlineOptions) {
    this.#clock = clock
    this.#parent = parent
    this.#onExpire = onExpire
    this.#left = ms
    this.#arm()
  }

  remaining(): number {
    return Math.max(0, this.#left - this.#elapsed())
  }

  pause(): () => void {
    const resumeParent = this.#parent?.pause()
    const resume = this.pauseAlone()
    return () => {
      resume()
      resumeParent?.()
    }
  }

  pauseAlone(): () => void {
    if (this.#pauses === 0) {
      this.#left = this.remaining()
      this.#pausedAt = this.#clock.monotonic()
      this.#cancel?.()
    }
    this.#pauses += 1
    return once(() => {
      this.#pauses -= 1
      if (this.#pauses === 0) this.#pausedMs += this.#clock.monotonic() - this.#pausedAt
      if (this.#pauses === 0 && this.#cancel !== undefined) this.#arm()
    })
  }

  paused(): number {
    return this.#pauses === 0 ? this.#pausedMs : this.#pausedMs + this.#clock.monotonic() - this.#pausedAt
  }

  clear(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #arm(): void {
    this.#startedAt = this.#clock.monotonic()
    this.#cancel = this.#left === Infinity ? noTimer : this.#clock.after(this.#left, this.#onExpire)
  }

  #elapsed(): number {
    return this.#pauses > 0 ? 0 : this.#clock.monotonic() - this.#startedAt
  }
}

function noTimer(): void {
  // a deadline without a limit has no timer to cancel
}

function once(fn: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    fn()
  }
}
