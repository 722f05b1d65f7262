import type { RunPurse } from '@troupe/headends'
import {
  failure,
  toUsageReport,
  TroupeError,
  type Budget,
  type Clock,
  type RunStore,
  type StoredRoot,
} from '@troupe/schema'

/** What one principal may use in any stretch of time: tokens in and out, USD. */
export interface SpendingCap extends Budget {
  /** The stretch, in ms. */
  readonly per: number
}

/** What was used in one slice of the time. */
interface Slice {
  readonly at: number
  tokens: number
  cost: number
}

/** So many slices make up the stretch: what is used comes back by slices. */
const SLICES = 100

/**
 * Counts what runs have used when they end. What ended before the server began is read from the store, once for each principal, so that a restart does not
 * forget it. A run that has begun goes on: its own budget bounds it.
 */
export function createSpending(
  cap: SpendingCap,
  {
    store,
    clock,
  }: { readonly store: Pick<RunStore, 'roots' | 'events'>; readonly clock: Pick<Clock, 'now'> },
): RunPurse {
  const { per, maxTokens, maxCost } = cap
  const step = per / SLICES
  const ledgers = new Map<string, Promise<Slice[]>>()

  async function readKept(principal: string): Promise<Slice[]> {
    const since = clock.now() - per
    const slices: Slice[] = []
    for (const root of await store.roots({ principal })) {
      const used = (root.changedAt ?? since) < since ? undefined : await usedBy(root, store)
      if (used !== undefined) add(slices, used, step)
    }
    return slices
  }

  const ledgerOf = (principal: string): Promise<Slice[]> => {
    const known = ledgers.get(principal) ?? readKept(principal)
    ledgers.set(principal, known)
    return known
  }

  return {
    async open(principal) {
      const slices = await ledgerOf(principal)
      const oldest = clock.now() - per
      const counted = slices.filter(({ at }) => at + step > oldest)
      const sum = (key: 'tokens' | 'cost'): number => counted.reduce((total, slice) => total + slice[key], 0)
      const tokens = maxTokens === undefined ? Infinity : maxTokens - sum('tokens')
      const cost = maxCost === undefined ? Infinity : maxCost - sum('cost')
      if (tokens > 0 && cost > 0) return
      const first = Math.min(...counted.map(({ at }) => at))
      const message = `${principal} has used what it may in this time.`
      throw new TroupeError({ ...failure('spending_limited', message), retryAt: first + step + per })
    },
    close(principal, { usage, error }) {
      if (error?.code === 'run_waiting') return
      const { inputTokens, outputTokens, cost } = usage
      const used = { at: clock.now(), tokens: inputTokens + outputTokens, cost: cost ?? 0 }
      // the first look at the store finds the run itself
      void ledgers.get(principal)?.then((slices) => add(slices, used, step))
    },
  }
}

/** What a root used that has ended; undefined: it has not. */
async function usedBy(
  { rootRunId, lastSeq }: StoredRoot,
  store: Pick<RunStore, 'events'>,
): Promise<Slice | undefined> {
  const [end] = await store.events(rootRunId, { after: lastSeq - 1, limit: 1 })
  if (end?.type !== 'run-end' || end.runId !== rootRunId) return undefined
  const { inputTokens, outputTokens, cost } = toUsageReport(end.usage, end.unpriced)
  return { at: end.time, tokens: inputTokens + outputTokens, cost: cost ?? 0 }
}

function add(slices: Slice[], { at, tokens, cost }: Slice, step: number): void {
  const begin = Math.floor(at / step) * step
  let slice = slices.find((one) => one.at === begin)
  if (slice === undefined) {
    slice = { at: begin, tokens: 0, cost: 0 }
    slices.push(slice)
    if (slices.length > SLICES * 2) slices.shift()
  }
  slice.tokens += tokens
  slice.cost += cost
}
