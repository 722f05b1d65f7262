import type { Budget, Clock } from '@troupe/schema'
import type { BudgetLedger, Spend, SpendingLimit } from '@troupe/schema/ports'
import { hasCap, MIN_OUTPUT, runLimitName } from './balance.ts'
import { createBudgetScope, emptyBalance, type BudgetScopeNode, type ChainLink } from './budget-scope.ts'
import { createBudgetQueue, type BudgetQueue } from './budget-queue.ts'

/** A budget shared by several run trees, and the queue of reservations waiting for it. */
interface SharedBudget {
  readonly link: ChainLink
  readonly queue: BudgetQueue
}

/**
 * Creates the budget ledger of one run tree. `budget` applies to all its runs, in addition to the limits of
 * their cards. Runs over the maximum number are refused, never queued.
 */
export function createBudgetLedger(budget: Budget = {}, spending?: SharedBudget): BudgetLedger {
  const scopes = new Map<string, BudgetScopeNode>()
  const shared = spending === undefined ? undefined : { chain: [spending.link] }
  const queue = spending?.queue ?? createBudgetQueue()
  const unpriced = new Set<string>()
  const top = hasCap(budget)
    ? createBudgetScope({ budget, limit: runLimitName, parent: shared, queue, unpriced })
    : undefined
  let runs = 0
  return {
    openRun: (maxRuns) => {
      if (runs >= maxRuns) return false
      runs += 1
      return true
    },
    openScope: ({ runId, parentRunId, budget: own, limitName, spent }) => {
      const parent = (parentRunId === undefined ? undefined : scopes.get(parentRunId)) ?? top ?? shared
      if (parent === undefined && !hasCap(own)) return undefined
      if (parentRunId === undefined && spent !== undefined) top?.charge(spent)
      const scope = createBudgetScope({
        budget: own,
        limit: limitName,
        parent,
        queue,
        unpriced,
        spent,
        onClose: () => scopes.delete(runId),
      })
      scopes.set(runId, scope)
      return scope
    },
  }
}

/** An amount and the wall time in ms at which it was spent. */
export interface SpendEntry extends Spend {
  readonly at: number
}

/** Options of {@link createSpendingLimit}. */
export interface SpendingLimitOptions {
  readonly budget: Budget
  /** Length of the time window in ms. */
  readonly windowMs: number
  /** Returns the name of a limit for messages, such as `limits.spending.maxTokens of the server`. */
  name(cap: keyof Budget): string
  readonly clock: Pick<Clock, 'now'>
  /** Earlier spending, in any order. Entries older than the window do not count. */
  readonly past?: readonly SpendEntry[]
}

/** A spending limit and its current state. */
export interface OpenSpendingLimit extends SpendingLimit {
  /** Returns the amount spent within the window. */
  used(): Spend
  /** Returns the worst case of the calls in flight. */
  reserved(): Spend
  /** Returns the wall time in ms at which to try again, or `undefined` if another call may fit. */
  exhaustedUntil(): number | undefined
}

/** Number of slices of the window. Amounts leave the window one slice at a time. */
const SLICES = 100

interface Slice extends Spend {
  readonly begin: number
}

/**
 * Creates a limit on the total spending of several run trees. A model call is sent only if its worst case
 * fits in addition to the amounts spent and reserved. Otherwise it waits while calls in flight may release
 * enough.
 */
export function createSpendingLimit(options: SpendingLimitOptions): OpenSpendingLimit {
  const { budget, windowMs, clock, name, past = [] } = options
  const balance = emptyBalance(budget)
  const queue = createBudgetQueue()
  const step = windowMs / SLICES
  let slices: Slice[] = []
  const endOf = ({ begin }: Slice): number => begin + step + windowMs

  function record({ tokens, micros }: Spend, at: number): void {
    const begin = Math.floor(at / step) * step
    const known = slices.find((slice) => slice.begin === begin)
    if (known === undefined) slices.push({ begin, tokens, micros })
    else
      slices[slices.indexOf(known)] = { begin, tokens: known.tokens + tokens, micros: known.micros + micros }
  }

  function refresh(): void {
    const now = clock.now()
    const old = slices.filter((slice) => endOf(slice) <= now)
    if (old.length === 0) return
    slices = slices.filter((slice) => endOf(slice) > now)
    for (const { tokens, micros } of old) {
      balance.used.tokens -= tokens
      balance.used.micros -= micros
    }
  }

  const freesAt = (): number | undefined => (slices.length === 0 ? undefined : Math.min(...slices.map(endOf)))
  const window = { refresh, record: (spent: Spend) => record(spent, clock.now()), freesAt }
  const link: ChainLink = { ...balance, limit: name, window }
  for (const { at, ...spent } of past) {
    record(spent, at)
    balance.used.tokens += spent.tokens
    balance.used.micros += spent.micros
  }

  return {
    openLedger: (own) => createBudgetLedger(own, { link, queue }),
    used() {
      refresh()
      return { ...balance.used }
    },
    reserved: () => ({ ...balance.reserved }),
    exhaustedUntil() {
      refresh()
      const { caps, used } = balance
      const hasBudget = caps.tokens - used.tokens >= MIN_OUTPUT && caps.micros > used.micros
      return hasBudget ? undefined : (freesAt() ?? clock.now())
    },
  }
}
