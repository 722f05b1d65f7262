import type { Budget, BudgetLedger } from '@troupe/schema'
import { createBudgetScope, hasCap, type ChainLink, type BudgetScopeNode } from './budget-scope.ts'
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
  const above = spending === undefined ? undefined : { chain: [spending.link] }
  const queue = spending?.queue ?? createBudgetQueue()
  const unpriced = new Set<string>()
  const top = hasCap(budget)
    ? createBudgetScope({ budget, limit: givenLimit, above, queue, unpriced })
    : undefined
  let runs = 0
  return {
    openRun: (maxRuns) => {
      if (runs >= maxRuns) return false
      runs += 1
      return true
    },
    openScope: ({ runId, parentRunId, budget: own, limitName, spent }) => {
      const parent = (parentRunId === undefined ? undefined : scopes.get(parentRunId)) ?? top ?? above
      if (parent === undefined && !hasCap(own)) return undefined
      if (parentRunId === undefined && spent !== undefined) top?.charge(spent)
      const scope = createBudgetScope({
        budget: own,
        limit: limitName,
        above: parent,
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

function givenLimit(key: keyof Budget): string {
  return `budget.${key} of the run (${key === 'maxCost' ? '--max-cost' : '--max-tokens'})`
}
