import type { Cancellation } from '../run/cancellation.ts'
import { WaitQueue } from './wait-queue.ts'

/** A counting semaphore with a first-in, first-out queue. */
export interface Semaphore {
  /** Returns the number of waiting callers. */
  waiting(): number
  /** Acquires a slot and returns the function that releases it, or `undefined` if cancelled first. */
  acquire(stop?: Pick<Cancellation, 'onCancel' | 'reason'>): (() => void) | Promise<(() => void) | undefined>
}

export function createSemaphore(size: number): Semaphore {
  return new CountingSemaphore(size)
}

/** A class to save memory: every turn with calls creates one. The queue is created on demand. */
class CountingSemaphore implements Semaphore {
  readonly #size: number
  #held = 0
  #queue: WaitQueue<() => void> | undefined

  constructor(size: number) {
    this.#size = size
  }

  waiting(): number {
    return this.#queue?.size ?? 0
  }

  acquire(
    stop?: Pick<Cancellation, 'onCancel' | 'reason'>,
  ): (() => void) | Promise<(() => void) | undefined> {
    if (this.#held < this.#size) return this.#take()
    if (stop?.reason !== undefined) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const queue = (this.#queue ??= new WaitQueue())
      const entry = queue.push(() => {
        off?.()
        resolve(this.#take())
      })
      const off = stop?.onCancel(() => {
        if (queue.remove(entry)) resolve(undefined)
      })
    })
  }

  #take(): () => void {
    this.#held += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#held -= 1
      this.#queue?.shift()?.()
    }
  }
}
