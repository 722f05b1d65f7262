import { createSpendingLimit, type OpenSpendingLimit, type SpendEntry } from '@troupe/core'
import { failure, TroupeError, type Budget, type Clock, type RunEvent, type Usage } from '@troupe/schema'
import type { RunStore, SpendingLimit, RootRunRecord } from '@troupe/schema/ports'

/** Limit on tokens (input and output) and USD of one principal within a time window. */
export interface SpendingCap extends Budget {
  /** Length of the window, in ms. */
  readonly per: number
}

/** The spending limits of all principals. */
export interface SpendingLimits {
  /**
   * Returns the limit for a new run of the principal. Rejects with `spending_limited` if the limit is
   * exhausted.
   */
  admit(principal: string): Promise<SpendingLimit>
  /** Returns the limit for a resumed run. Does not reject if the limit is exhausted. */
  find(principal: string): Promise<SpendingLimit>
}

/**
 * Creates a spending limit for each principal when its first run starts. Earlier usage is read from the store
 * once, so that a restart does not reset the limit.
 */
export function createSpendingLimits(
  cap: SpendingCap,
  {
    store,
    clock,
  }: { readonly store: Pick<RunStore, 'roots' | 'events'>; readonly clock: Pick<Clock, 'now'> },
): SpendingLimits {
  const { per, ...budget } = cap
  const limits = new Map<string, Promise<OpenSpendingLimit>>()

  async function open(principal: string): Promise<OpenSpendingLimit> {
    const past = await readPast(store, principal, clock.now() - per)
    const name = (key: keyof Budget): string => `server.limits.spending.${key}, for all runs of ${principal}`
    return createSpendingLimit({ budget, windowMs: per, name, clock, past })
  }

  function find(principal: string): Promise<OpenSpendingLimit> {
    const known = limits.get(principal)
    if (known !== undefined) return known
    const opening = open(principal)
    limits.set(principal, opening)
    // The next run tries to read the store again.
    opening.catch(() => limits.delete(principal))
    return opening
  }

  return {
    find,
    async admit(principal) {
      const limit = await find(principal)
      const retryAt = limit.exhaustedUntil()
      if (retryAt === undefined) return limit
      const { tokens, micros } = limit.used()
      const used = [
        ...(budget.maxTokens === undefined ? [] : [`${tokens} of ${budget.maxTokens} tokens`]),
        ...(budget.maxCost === undefined ? [] : [`${micros / 1_000_000} of ${budget.maxCost} USD`]),
      ].join(' and ')
      const message = `${principal} has used ${used} in this time window (server.limits.spending).`
      throw new TroupeError({ ...failure('spending_limited', message), retryAt })
    },
  }
}

/** Reads the usage of a principal's runs since a time. */
async function readPast(
  store: Pick<RunStore, 'roots' | 'events'>,
  principal: string,
  since: number,
): Promise<readonly SpendEntry[]> {
  const past: SpendEntry[] = []
  for (const root of await store.roots({ principal }))
    if ((root.changedAt ?? since) >= since) past.push(...(await usedBy(root, store)))
  return past
}

/** Reads the usage of a root run: from its end, or call by call if it has not ended. */
async function usedBy(
  { rootRunId, lastSeq }: RootRunRecord,
  store: Pick<RunStore, 'events'>,
): Promise<readonly SpendEntry[]> {
  const [end] = await store.events(rootRunId, { after: lastSeq - 1, limit: 1 })
  if (end?.type === 'run-end' && end.runId === rootRunId) return [toSpending(end.time, end.usage)]
  return (await store.events(rootRunId)).flatMap((event: RunEvent) =>
    event.type === 'usage' ? toSpending(event.time, event.tokens) : [],
  )
}

function toSpending(at: number, { input, output, micros }: Usage): SpendEntry {
  return { at, tokens: input + output, micros }
}
