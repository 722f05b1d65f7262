import type { CancellationToken } from '@troupe/schema'
import { WaitQueue } from './wait-queue.ts'

/** A counting semaphore with a first-in, first-out queue. */
export interface Semaphore {
  /** Returns the number of waiting callers. */
  waiting(): number
  /** Acquires a free slot and returns the function that releases it, or `undefined` if there is none. */
  tryAcquire(): (() => void) | undefined
  /** Waits for a slot. Resolves with the function that releases it, or with `undefined` if cancelled first. */
  acquire(stop: CancellationToken): Promise<(() => void) | undefined>
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

  tryAcquire(): (() => void) | undefined {
    return this.#held < this.#size ? this.#take() : undefined
  }

  acquire(stop: CancellationToken): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      if (stop.reason !== undefined) {
        resolve(undefined)
        return
      }
      const queue = (this.#queue ??= new WaitQueue())
      const entry = queue.push(() => {
        off()
        resolve(this.#take())
      })
      const off = stop.onCancel(() => {
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
