/** Holds a value of an {@link OpenList} until it is taken out. */
export interface OpenEntry<V> {
  /** Undefined: it was taken out. */
  readonly value: V | undefined
}

interface Entry<V> {
  value: V | undefined
  index: number
}

/**
 * What is open in something that stays: calls, streams, runs, in no order. A `Set` makes itself a new table every so often, and V8 lets what is in the old ones
 * go only with the next collection of everything, so that whatever a run was made of would outlive it.
 */
export class OpenList<V> {
  readonly #entries: Entry<V>[] = []

  get size(): number {
    return this.#entries.length
  }

  /** Gives what it is taken out by. */
  add(value: V): OpenEntry<V> {
    const entry: Entry<V> = { value, index: this.#entries.length }
    this.#entries.push(entry)
    return entry
  }

  /** True when it was still there. */
  delete(given: OpenEntry<V>): boolean {
    const entry = given as Entry<V>
    if (this.#entries[entry.index] !== entry) return false
    const last = this.#entries.pop()
    if (last !== undefined && last !== entry) {
      last.index = entry.index
      this.#entries[entry.index] = last
    }
    entry.value = undefined
    return true
  }

  /** Those that are open now. */
  values(): readonly V[] {
    // what is in the list has its value
    return this.#entries.map(({ value }) => value as V)
  }
}
