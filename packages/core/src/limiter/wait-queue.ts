/** A caller in a {@link WaitQueue}. */
export interface QueueEntry<T> {
  /** `undefined` after it was removed. */
  readonly value: T | undefined
}

interface Entry<T> {
  value: T | undefined
}

/** Entries that have left are dropped once there are so many of them, and more than of others. */
const MOST_LEFT = 1000

/** A first-in, first-out queue whose callers may leave before it is their turn. */
export class WaitQueue<T> {
  #entries: Entry<T>[] = []
  #head = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(value: T): QueueEntry<T> {
    const entry: Entry<T> = { value }
    this.#entries.push(entry)
    this.#size += 1
    return entry
  }

  /** Returns true if the caller was still waiting. */
  remove(entry: QueueEntry<T>): boolean {
    if (entry.value === undefined) return false
    ;(entry as Entry<T>).value = undefined
    this.#size -= 1
    return true
  }

  /** Returns the caller that has waited longest. */
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

  /** Removes and returns the caller that has waited longest. */
  shift(): T | undefined {
    const entry = this.first()
    const value = entry?.value
    if (entry !== undefined) this.remove(entry)
    return value
  }

  /** Returns those who wait, in order. */
  values(): readonly QueueEntry<T>[] {
    return this.#entries.slice(this.#head).filter(({ value }) => value !== undefined)
  }

  #drop(): void {
    this.#entries = this.#entries.slice(this.#head)
    this.#head = 0
  }
}
