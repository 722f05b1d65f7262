/** A load of one queue, and the workers that take runs from it. Times are in seconds. */
export interface QueueModel {
  readonly workers: number
  readonly slots: number
  /** Interval at which a worker reads the queue. */
  readonly pollSeconds: number
  /** Length of the simulated time. */
  readonly seconds: number
  /** Returns the runs per second that arrive at a time. */
  rateAt(time: number): number
  /** Upper bound of `rateAt`. */
  readonly peakRate: number
  /** Returns the time that a run occupies its slot. */
  serviceTime(random: () => number): number
}

/** Result of a simulation. */
export interface QueueResult {
  readonly runs: number
  /** Share of the time that slots were occupied: in all, and in the hour with the most runs. */
  readonly utilisation: number
  readonly peakUtilisation: number
  /** Waiting times between the arrival of a run and its start. */
  readonly waits: { readonly mean: number; readonly p50: number; readonly p95: number; readonly p99: number }
}

/**
 * Simulates a first-in, first-out queue: runs arrive at random with a rate that changes over time, and the slot
 * that becomes free first takes the run at the head, at the next poll of its worker.
 */
export function simulateQueue(model: QueueModel, random: () => number): QueueResult {
  const { workers, slots, pollSeconds, seconds, peakRate } = model
  const freeAt = createHeap(workers * slots)
  const waits: number[] = []
  const busyPerHour = new Float64Array(Math.ceil(seconds / 3600))
  let busy = 0
  for (let time = 0; ;) {
    // Arrivals at the peak rate, of which only a share is real, give a rate that changes.
    time -= Math.log(1 - random()) / peakRate
    if (time >= seconds) break
    if (random() * peakRate >= model.rateAt(time)) continue
    const slotFree = freeAt.min()
    // A slot that has just become free waits for the poll of its worker; of several idle workers, the first
    // one takes the run.
    const idle = slotFree > time ? 1 : Math.max(1, Math.round(freeAt.countUpTo(time) / slots))
    const poll = pollSeconds * (1 - (1 - random()) ** (1 / idle))
    const start = Math.max(time, slotFree) + poll
    const service = model.serviceTime(random)
    freeAt.replaceMin(start + service)
    waits.push(start - time)
    busy += service
    const hour = Math.min(busyPerHour.length - 1, Math.floor(start / 3600))
    busyPerHour[hour] = (busyPerHour[hour] ?? 0) + service
  }
  const sorted = Float64Array.from(waits).toSorted()
  const percentile = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  const capacity = workers * slots
  return {
    runs: waits.length,
    utilisation: busy / (capacity * seconds),
    peakUtilisation: Math.max(...busyPerHour) / (capacity * Math.min(seconds, 3600)),
    waits: {
      mean: waits.reduce((sum, wait) => sum + wait, 0) / Math.max(1, waits.length),
      p50: percentile(0.5),
      p95: percentile(0.95),
      p99: percentile(0.99),
    },
  }
}

/** Returns a function that returns random numbers 0 ≤ x < 1, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = Math.trunc(seed)
  return () => {
    state = Math.trunc(state + 0x6d2b79f5)
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The times at which slots become free, all 0 at first. */
interface FreeTimes {
  min(): number
  /** Replaces the smallest time by a later one. */
  replaceMin(time: number): void
  /** Returns an estimate of the number of slots that are free at a time. */
  countUpTo(time: number): number
}

/** Creates a binary heap. */
function createHeap(size: number): FreeTimes {
  const times = new Float64Array(size)
  const at = (index: number): number => times[index] ?? Infinity
  return {
    min: () => at(0),
    replaceMin(time) {
      let index = 0
      for (;;) {
        const left = 2 * index + 1
        const child = at(left + 1) < at(left) ? left + 1 : left
        if (at(child) >= time) break
        times[index] = at(child)
        index = child
      }
      times[index] = time
    },
    countUpTo(time) {
      // The order of a heap makes its first layers a sample of all slots.
      const sample = Math.min(size, 127)
      let free = 0
      for (let index = 0; index < sample; index += 1) if (at(index) <= time) free += 1
      return (free / sample) * size
    },
  }
}
