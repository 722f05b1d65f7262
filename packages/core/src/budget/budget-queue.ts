import type { CancellationToken } from '@troupe/schema/ports'

/**
 * A waiting reservation. `attempt` tries again and returns the budgets that are still too small, or
 * `undefined` on success.
 */
interface PendingReservation {
  /** Budgets that it reserves from. */
  readonly budgets: readonly object[]
  attempt(): readonly object[] | undefined
}

interface QueuedReservation extends PendingReservation {
  /** Budgets that were too small at the last attempt. Later waiters may not reserve from them first. */
  blocks: readonly object[]
}

/**
 * First-in, first-out queue of reservations that do not fit yet. A waiting reservation only blocks others
 * that reserve from the same budget. Waiters hold no budget, so they cannot deadlock.
 */
export interface BudgetQueue {
  /** Returns true if an earlier reservation is waiting for one of these budgets. */
  isTaken(budgets: readonly object[]): boolean
  /**
   * Waits until `attempt` succeeds. Calls `onStop` if the wait is cancelled first. `blocks` are the budgets
   * that are too small now.
   */
  wait(
    waiter: PendingReservation & { readonly blocks: readonly object[] },
    stop: CancellationToken | undefined,
    onStop: () => void,
  ): void
  /** Retries the waiting reservations in order. Call it after budget was released. */
  wake(): void
}

export function createBudgetQueue(): BudgetQueue {
  let waiters: QueuedReservation[] = []
  let isWaking = false
  let mustRepeat = false
  const wakeOnce = (): void => {
    const blocked = new Set<object>()
    const remaining: QueuedReservation[] = []
    for (const waiter of waiters) {
      const isHeldBack = waiter.budgets.some((budget) => blocked.has(budget))
      const short = isHeldBack ? [] : waiter.attempt()
      if (short === undefined) continue
      waiter.blocks = short
      remaining.push(waiter)
      for (const budget of short) blocked.add(budget)
    }
    waiters = remaining
  }
  const wake = (): void => {
    mustRepeat = true
    if (isWaking) return
    isWaking = true
    while (mustRepeat && waiters.length > 0) {
      mustRepeat = false
      wakeOnce()
    }
    isWaking = false
  }
  return {
    isTaken: (budgets) => waiters.some(({ blocks }) => blocks.some((budget) => budgets.includes(budget))),
    wait: (waiter, stop, onStop) => {
      const unsubscribe = stop?.onCancel(() => {
        waiters = waiters.filter((other) => other !== entry)
        onStop()
        wake()
      })
      const entry: QueuedReservation = {
        budgets: waiter.budgets,
        blocks: waiter.blocks,
        attempt: () => {
          const short = waiter.attempt()
          if (short === undefined) unsubscribe?.()
          return short
        },
      }
      waiters.push(entry)
    },
    wake,
  }
}
