import type { Budget, Purse } from '@troupe/schema'
import { createPot, hasCap, type ChainLink, type PotNode } from './pot.ts'
import { createPotQueue, type PotQueue } from './pot-queue.ts'

/** A budget shared by several run trees, and the queue of reservations waiting for it. */
export interface SharedBudget {
  readonly link: ChainLink
  readonly queue: PotQueue
}

/**
 * Creates the budget ledger of one run tree. `budget` applies to all its runs, in addition to the limits of
 * their cards. Runs over the maximum number are refused, never queued.
 */
export function createPurse(budget: Budget = {}, spending?: SharedBudget): Purse {
  const pots = new Map<string, PotNode>()
  const above = spending === undefined ? undefined : { chain: [spending.link] }
  const queue = spending?.queue ?? createPotQueue()
  const unpriced = new Set<string>()
  const top = hasCap(budget) ? createPot({ budget, limit: givenLimit, above, queue, unpriced }) : undefined
  let runs = 0
  return {
    openRun: (maxRuns) => {
      if (runs >= maxRuns) return false
      runs += 1
      return true
    },
    openPot: ({ runId, parentRunId, budget: own, limitName, spent }) => {
      const parent = (parentRunId === undefined ? undefined : pots.get(parentRunId)) ?? top ?? above
      if (parent === undefined && !hasCap(own)) return undefined
      if (parentRunId === undefined && spent !== undefined) top?.charge(spent)
      const pot = createPot({
        budget: own,
        limit: limitName,
        above: parent,
        queue,
        unpriced,
        spent,
        onClose: () => pots.delete(runId),
      })
      pots.set(runId, pot)
      return pot
    },
  }
}

function givenLimit(key: keyof Budget): string {
  return `budget.${key} of the run (${key === 'maxCost' ? '--max-cost' : '--max-tokens'})`
}
