import type { StopSource } from '@troupe/schema'

/** One that waits: `attempt` tries again; false: it must go on waiting. */
interface Waiter {
  /** What it waits for; two that share one of these keep their order. */
  readonly pots: readonly object[]
  attempt(): boolean
}

/** The reservations of one root that do not fit yet, in order. They hold nothing while they wait, so nobody can wait for them. */
export interface PotQueue {
  /** True when somebody already waits for one of these. */
  isTaken(pots: readonly object[]): boolean
  /** Waits until `attempt` succeeds, or calls `onStop` when the stop fires first. */
  wait(waiter: Waiter, stop: StopSource | undefined, onStop: () => void): void
  /** Something was given back: tries who waits, in order. */
  wake(): void
}

/** An empty queue. */
export function createPotQueue(): PotQueue {
  let waiters: Waiter[] = []
  let isWaking = false
  let isAgain = false
  const wakeOnce = (): void => {
    const blocked = new Set<object>()
    const left: Waiter[] = []
    for (const waiter of waiters) {
      if (!waiter.pots.some((pot) => blocked.has(pot)) && waiter.attempt()) continue
      left.push(waiter)
      for (const pot of waiter.pots) blocked.add(pot)
    }
    waiters = left
  }
  const wake = (): void => {
    isAgain = true
    if (isWaking) return
    isWaking = true
    while (isAgain && waiters.length > 0) {
      isAgain = false
      wakeOnce()
    }
    isWaking = false
  }
  return {
    isTaken: (pots) => waiters.some((waiter) => waiter.pots.some((pot) => pots.includes(pot))),
    wait: (waiter, stop, onStop) => {
      const off = stop?.onStop(() => {
        waiters = waiters.filter((each) => each !== entry)
        onStop()
        wake()
      })
      const entry: Waiter = {
        pots: waiter.pots,
        attempt: () => {
          if (!waiter.attempt()) return false
          off?.()
          return true
        },
      }
      waiters.push(entry)
    },
    wake,
  }
}
