interface Count {
  value: number
  readonly below: Map<string, Count>
}

/** Adds up by labels. A counter of Prometheus makes a text of its labels each time and checks them; it is told when somebody asks. */
export class Tally {
  readonly #top: Count = createCount()

  /** So many more for these labels, which are as many each time. */
  add(labels: readonly string[], by = 1): void {
    let count = this.#top
    for (const label of labels) {
      let below = count.below.get(label)
      if (below === undefined) {
        below = createCount()
        count.below.set(label, below)
      }
      count = below
    }
    count.value += by
  }

  /** Tells of all labels what has come since they were last taken. */
  take(tell: (labels: readonly string[], by: number) => void): void {
    for (const [label, below] of this.#top.below) takeBelow(below, [label], tell)
  }
}

function takeBelow(
  count: Count,
  labels: readonly string[],
  tell: (labels: readonly string[], by: number) => void,
): void {
  if (count.below.size === 0) tell(labels, count.value)
  count.value = 0
  for (const [label, below] of count.below) takeBelow(below, [...labels, label], tell)
}

function createCount(): Count {
  return { value: 0, below: new Map() }
}
