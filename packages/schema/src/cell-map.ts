/** Where a value is kept until it is taken out. */
interface Cell<V> {
  value: V | undefined
}

/**
 * A map for what comes and goes, in the order of its coming, in something that stays. A `Map` makes itself a new table every so often, and V8 lets what is in
 * the old ones go only with the next collection of everything: whatever a run was made of would outlive it. Here old tables hold cells, which are emptied.
 */
export class CellMap<K, V> {
  readonly #cells = new Map<K, Cell<V>>()

  get size(): number {
    return this.#cells.size
  }

  get(key: K): V | undefined {
    return this.#cells.get(key)?.value
  }

  has(key: K): boolean {
    return this.#cells.has(key)
  }

  /** A key that is there already keeps its place. */
  set(key: K, value: V): void {
    const cell = this.#cells.get(key)
    if (cell === undefined) this.#cells.set(key, { value })
    else cell.value = value
  }

  /** True when it was there. */
  delete(key: K): boolean {
    const cell = this.#cells.get(key)
    if (cell === undefined) return false
    cell.value = undefined
    return this.#cells.delete(key)
  }

  clear(): void {
    for (const cell of this.#cells.values()) cell.value = undefined
    this.#cells.clear()
  }

  keys(): IterableIterator<K> {
    return this.#cells.keys()
  }

  *entries(): Generator<[K, V]> {
    // a cell that is in the map has its value
    for (const [key, { value }] of this.#cells) yield [key, value as V]
  }

  *values(): Generator<V> {
    for (const { value } of this.#cells.values()) yield value as V
  }
}
