/** Entry of an {@link OpenList}. */
export interface OpenEntry<V> {
  /** The value; `undefined` once the entry was deleted. */
  readonly value: V | undefined
}

interface Entry<V> {
  value: V | undefined
  index: number
}

/**
 * An unordered list of the open calls, streams or runs of a long-lived object. A `Set` would reallocate its
 * table from time to time, and V8 frees the old tables only in a full collection, so the memory of ended runs
 * would be retained until then.
 */
export class OpenList<V> {
  readonly #entries: Entry<V>[] = []

  get size(): number {
    return this.#entries.length
  }

  /** Adds a value. Returns the entry to pass to `delete`. */
  add(value: V): OpenEntry<V> {
    const entry: Entry<V> = { value, index: this.#entries.length }
    this.#entries.push(entry)
    return entry
  }

  /** Deletes an entry. Returns false if it was deleted before. */
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

  /** Returns the values that are in the list now. */
  values(): readonly V[] {
    // entries in the list always have a value
    return this.#entries.map(({ value }) => value as V)
  }
}
