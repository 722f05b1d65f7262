import {
  closingAfter,
  decideCall,
  reserveClosing,
  settleCall,
  tooSmallFor,
  type CallGrant,
} from '@troupe/core'
import type { Clock } from '@troupe/schema'
import type {
  BudgetExceeded,
  BudgetScope,
  CallBound,
  CancellationToken,
  Reservation,
  Spend,
} from '@troupe/schema/ports'
import type { BudgetShare, ShareUpdate } from '../tasks/budget-share.ts'
import type { StoredCaps } from '../tasks/stored-caps.ts'
import type { TaskChanges } from '../tasks/task-changes.ts'

/**
 * The budget scope of a run on a worker. Its changes are stored one after the other. A run makes one model call
 * at a time, so a call that waits also delays a second call of the same run.
 */
export interface SharedScope extends BudgetScope {
  /** Resolves when all changes are stored. `undefined` if they are. Rejects if one cannot be stored. */
  flush(): Promise<void> | undefined
  /** Stores what is left to store, and releases what is still reserved. Call it when the run is over. */
  finish(): Promise<void>
}

interface SharedScopeParts {
  readonly runId: string
  readonly caps: readonly StoredCaps[]
  readonly share: BudgetShare
  readonly changes: Pick<TaskChanges, 'watch'>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Adds the rows of the run. */
  open(isCancelled: () => boolean): Promise<void>
  /** Releases what is reserved, and counts what the run has spent. */
  recover(isCancelled: () => boolean): Promise<void>
}

/** Time in ms for which the end of a run waits for a database that is away. */
const FINISH_MS = 10_000

const NOTHING: Spend = { tokens: 0, micros: 0 }

/** A reserved call, with the reserve for the closing turn before it. */
type Granted = CallGrant & { readonly before: Spend }

/** Creates the scope, and begins to add the rows of the run. */
export function createSharedScope(parts: SharedScopeParts): SharedScope {
  const { runId, caps, share, changes, clock } = parts
  const unpriced = new Set<string>()
  /** Settles with the last change in the queue. */
  let last: Promise<void> = Promise.resolve()
  let pendingChanges = 0
  let callsInFlight = 0
  let failed: { readonly reason: unknown } | undefined
  /** True if a call was cancelled while the database was away, so that it may be reserved. */
  let isUncertain = false
  let giveUpAt = Infinity
  /** Settles when the last call is decided. */
  let lastCall: Promise<unknown> = Promise.resolve()
  let isFinished = false

  const isGivenUp = (): boolean => clock.monotonic() >= giveUpAt

  async function enqueue<T>(work: () => Promise<T>): Promise<T> {
    pendingChanges += 1
    const result = last.then(() => {
      throwIfFailed()
      return work()
    })
    last = result.then(
      () => undefined,
      (reason: unknown) => {
        failed ??= { reason }
      },
    )
    try {
      return await result
    } finally {
      pendingChanges -= 1
    }
  }

  function throwIfFailed(): void {
    if (failed !== undefined) throw failed.reason
  }

  /** Stores a change later. A failure is thrown by the next reservation and by `flush`. */
  function updateLater(decide: Parameters<typeof share.update<undefined>>[0]): void {
    // What is settled after the end of the run was released with it.
    if (isFinished) return
    enqueue(() => share.update(decide, isGivenUp)).catch(() => undefined)
  }

  async function acquire(
    call: CallBound,
    stop: CancellationToken | undefined,
  ): Promise<Reservation | BudgetExceeded | undefined> {
    const attempt = (): Promise<Granted | BudgetExceeded | 'waits' | 'cancelled'> =>
      enqueue(async () => {
        try {
          return await share.update(
            (state): ShareUpdate<Granted | BudgetExceeded | 'waits'> => {
              const decided = state.isTaken ? undefined : decideCall(state.chain, call)
              if (decided === undefined) {
                const tooSmall = state.isTaken ? [] : tooSmallFor(state.chain, call)
                return { value: 'waits', waitsFor: tooSmall.map(({ id }) => id) }
              }
              if ('limit' in decided) return { value: decided, waitsFor: null }
              const value = { ...decided, before: state.chain.own }
              return { value, change: decided.change, waitsFor: null }
            },
            () => stop?.reason !== undefined || isGivenUp(),
          )
        } catch (thrown) {
          if (stop?.reason === undefined) throw thrown
          isUncertain = true
          return 'cancelled'
        }
      })
    const first = await attempt()
    const decided = first === 'waits' ? await waitFor(attempt, stop) : first
    if (decided === 'cancelled') return undefined
    return 'limit' in decided ? decided : toReservation(call, decided)
  }

  /** Repeats an attempt whenever it may succeed, until it does or is cancelled. */
  async function waitFor<T>(
    attempt: () => Promise<T | 'waits'>,
    stop: CancellationToken | undefined,
  ): Promise<T | 'cancelled'> {
    let isStale = false
    let resume: (() => void) | undefined
    const wake = (): void => {
      isStale = true
      resume?.()
    }
    // The first status, and each at an interval, covers what was released without a notification.
    const stopWatching = changes.watch(runId, { onStatus: wake, onRelease: wake })
    const unsubscribe = stop?.onCancel(wake)
    try {
      for (;;) {
        if (stop?.reason !== undefined) {
          updateLater(() => ({ value: undefined, waitsFor: null, releases: true }))
          return 'cancelled'
        }
        if (!isStale)
          await new Promise<void>((resolve) => {
            resume = resolve
          })
        if (stop?.reason !== undefined) continue
        isStale = false
        const result = await attempt()
        if (result !== 'waits') return result
      }
    } finally {
      stopWatching()
      unsubscribe?.()
    }
  }

  function toReservation(call: CallBound, granted: Granted): Reservation {
    const { maxOutputTokens, worst, loweredBy, before } = granted
    callsInFlight += 1
    let isSettled = false
    return {
      maxOutputTokens,
      worst,
      ...(loweredBy === undefined ? {} : { loweredBy }),
      settle: (spent, next) => {
        if (isSettled) return
        isSettled = true
        callsInFlight -= 1
        const closing = closingAfter(call, { before, spent, next })
        updateLater(({ chain }) => ({
          value: undefined,
          change: settleCall(chain, { worst, spent, ...closing }),
          releases: true,
        }))
      },
    }
  }

  enqueue(() => parts.open(isGivenUp)).catch(() => undefined)

  const scope: SharedScope = {
    reserve(call, stop) {
      const decided = lastCall.then(() => acquire(call, stop))
      lastCall = decided.catch(() => undefined)
      return decided
    },
    reserveForClosing(amount) {
      updateLater(({ chain }) => ({
        value: undefined,
        change: reserveClosing(chain, amount),
        releases: true,
      }))
    },
    firstUnpriced(model) {
      if (unpriced.has(model) || caps.every(({ budget }) => budget.maxCost === undefined)) return false
      unpriced.add(model)
      return true
    },
    close: () => scope.reserveForClosing(NOTHING),
    flush() {
      return pendingChanges === 0 && failed === undefined ? undefined : last.then(throwIfFailed)
    },
    async finish() {
      isFinished = true
      giveUpAt = clock.monotonic() + FINISH_MS
      await last
      if (callsInFlight > 0 || isUncertain || failed !== undefined) await parts.recover(isGivenUp)
    },
  }
  return scope
}
