import type { StopSource } from '@troupe/schema'

/** A reservation that waits. `attempt` tries again and returns the budgets that are still too small, or `undefined` if it succeeded. */
interface Waiter {
  /** The budgets that it reserves from. */
  readonly pots: readonly object[]
  attempt(): readonly object[] | undefined
}

interface QueuedWaiter extends Waiter {
  /** The budgets that were too small when it last tried: later waiters may not reserve from them first. */
  blocks: readonly object[]
}

/**
 * The reservations that do not fit yet, in order. One that waits for a budget holds back only those that reserve from that budget. Waiters hold
 * nothing, so they cannot block each other for ever.
 */
export interface PotQueue {
  /** Returns true if a reservation already waits for one of these. */
  isTaken(pots: readonly object[]): boolean
  /** Waits until `attempt` succeeds, or calls `onStop` when the stop fires first. `blocks` are the budgets that are too small now. */
  wait(
    waiter: Waiter & { readonly blocks: readonly object[] },
    stop: StopSource | undefined,
    onStop: () => void,
  ): void
  /** Tries the waiting reservations in order, after something was given back. */
  wake(): void
}

/** Creates an empty queue. */
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
