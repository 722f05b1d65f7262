import type { StopSource } from '@troupe/schema'

/**
 * A waiting reservation. `attempt` tries again and returns the budgets that are still too small, or
 * `undefined` on success.
 */
interface Waiter {
  /** Budgets that it reserves from. */
  readonly pots: readonly object[]
  attempt(): readonly object[] | undefined
}

interface QueuedWaiter extends Waiter {
  /** Budgets that were too small at the last attempt. Later waiters may not reserve from them first. */
  blocks: readonly object[]
}

/**
 * First-in, first-out queue of reservations that do not fit yet. A waiting reservation only blocks others
 * that reserve from the same budget. Waiters hold no budget, so they cannot deadlock.
 */
export interface PotQueue {
  /** Returns true if an earlier reservation is waiting for one of these budgets. */
  isTaken(pots: readonly object[]): boolean
  /**
   * Waits until `attempt` succeeds. Calls `onStop` if the wait is cancelled first. `blocks` are the budgets
   * that are too small now.
   */
  wait(
    waiter: Waiter & { readonly blocks: readonly object[] },
    stop: StopSource | undefined,
    onStop: () => void,
  ): void
  /** Retries the waiting reservations in order. Call it after budget was released. */
  wake(): void
}

export function createPotQueue(): PotQueue {
  let waiters: QueuedWaiter[] = []
  let isWaking = false
  let isAgain = false
  const wakeOnce = (): void => {
    const blocked = new Set<object>()
    const left: QueuedWaiter[] = []
    for (const waiter of waiters) {
      const isHeldBack = waiter.pots.some((pot) => blocked.has(pot))
      const short = isHeldBack ? [] : waiter.attempt()
      if (short === undefined) continue
      waiter.blocks = short
      left.push(waiter)
      for (const pot of short) blocked.add(pot)
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
    isTaken: (pots) => waiters.some(({ blocks }) => blocks.some((pot) => pots.includes(pot))),
    wait: (waiter, stop, onStop) => {
      const off = stop?.onStop(() => {
        waiters = waiters.filter((each) => each !== entry)
        onStop()
        wake()
      })
      const entry: QueuedWaiter = {
        pots: waiter.pots,
        blocks: waiter.blocks,
        attempt: () => {
          const short = waiter.attempt()
          if (short === undefined) off?.()
          return short
        },
      }
      waiters.push(entry)
    },
    wake,
  }
}
