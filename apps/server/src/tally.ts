interface Count {
  value: number
  readonly below: Map<string, Count>
}

/**
 * Sums by label values. A Prometheus counter validates its labels and joins them to a text at each call; with
 * this class that happens only when the metrics are read.
 */
export class Tally {
  readonly #top: Count = createCount()

  /** Adds to the sum of these labels. Their number must be the same in each call. */
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

  /** Passes on the sums since the last call, and resets them. */
  take(emit: (labels: readonly string[], by: number) => void): void {
    for (const [label, below] of this.#top.below) takeBelow(below, [label], emit)
  }
}

function takeBelow(
  count: Count,
  labels: readonly string[],
  emit: (labels: readonly string[], by: number) => void,
): void {
  if (count.below.size === 0) emit(labels, count.value)
  count.value = 0
  for (const [label, below] of count.below) takeBelow(below, [...labels, label], emit)
}

function createCount(): Count {
  return { value: 0, below: new Map() }
}
