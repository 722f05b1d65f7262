import type { CancellationToken } from '@troupe/schema/ports'

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
  #inUse = 0
  #queue: WaitQueue<() => void> | undefined

  constructor(size: number) {
    this.#size = size
  }

  waiting(): number {
    return this.#queue?.size ?? 0
  }

  tryAcquire(): (() => void) | undefined {
    return this.#inUse < this.#size ? this.#take() : undefined
  }

  acquire(stop: CancellationToken): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      if (stop.reason !== undefined) {
        resolve(undefined)
        return
      }
      const queue = (this.#queue ??= new WaitQueue())
      const entry = queue.push(() => {
        unsubscribe()
        resolve(this.#take())
      })
      const unsubscribe = stop.onCancel(() => {
        if (queue.remove(entry)) resolve(undefined)
      })
    })
  }

  #take(): () => void {
    this.#inUse += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#inUse -= 1
      this.#queue?.shift()?.()
    }
  }
}

/** An entry of a {@link WaitQueue}. */
export interface QueueEntry<T> {
  /** `undefined` after removal. */
  readonly value: T | undefined
}

interface QueueSlot<T> {
  value: T | undefined
}

/** Minimum number of removed entries before the array is compacted. */
const MIN_REMOVED = 1000

/** A first-in, first-out queue whose entries can be removed at any position. */
export class WaitQueue<T> {
  #entries: QueueSlot<T>[] = []
  #head = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(value: T): QueueEntry<T> {
    const entry: QueueSlot<T> = { value }
    this.#entries.push(entry)
    this.#size += 1
    return entry
  }

  /** Removes an entry. Returns true if it was still in the queue. */
  remove(entry: QueueEntry<T>): boolean {
    if (entry.value === undefined) return false
    ;(entry as QueueSlot<T>).value = undefined
    this.#size -= 1
    return true
  }

  /** Returns the oldest entry. */
  first(): QueueEntry<T> | undefined {
    while (this.#head < this.#entries.length) {
      const entry = this.#entries[this.#head]
      if (entry?.value !== undefined) {
        if (this.#head > MIN_REMOVED && this.#head * 2 > this.#entries.length) this.#drop()
        return entry
      }
      this.#head += 1
    }
    this.#drop()
    return undefined
  }

  /** Removes the oldest entry and returns its value. */
  shift(): T | undefined {
    const entry = this.first()
    const value = entry?.value
    if (entry !== undefined) this.remove(entry)
    return value
  }

  /** Returns the remaining entries in order. */
  values(): readonly QueueEntry<T>[] {
    return this.#entries.slice(this.#head).filter(({ value }) => value !== undefined)
  }

  #drop(): void {
    this.#entries = this.#entries.slice(this.#head)
    this.#head = 0
  }
}
