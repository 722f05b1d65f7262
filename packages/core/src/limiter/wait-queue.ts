/** An entry of a {@link WaitQueue}. */
export interface QueueEntry<T> {
  /** `undefined` after removal. */
  readonly value: T | undefined
}

interface QueueSlot<T> {
  value: T | undefined
}

/** Minimum number of removed entries before the array is compacted. */
const MOST_LEFT = 1000

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
        if (this.#head > MOST_LEFT && this.#head * 2 > this.#entries.length) this.#drop()
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
