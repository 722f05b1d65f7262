import type { Budget, Purse } from '@troupe/schema'
import { createPot, hasCap, type PotNode } from './pot.ts'
import { createPotQueue } from './pot-queue.ts'

/** The purse of one root. `budget` holds for all its runs beside the caps of their cards. Counts of runs refuse, never queue (decision 6). */
export function createPurse(budget: Budget = {}): Purse {
  const pots = new Map<string, PotNode>()
  const queue = createPotQueue()
  const unpriced = new Set<string>()
  const top = hasCap(budget) ? createPot({ budget, limit: givenLimit, queue, unpriced }) : undefined
  let runs = 0
  return {
    openRun: (maxRuns) => {
      if (runs >= maxRuns) return false
      runs += 1
      return true
    },
    openPot: ({ runId, parentRunId, budget: own, origin }) => {
      const above = (parentRunId === undefined ? undefined : pots.get(parentRunId)) ?? top
      if (above === undefined && !hasCap(own)) return undefined
      const pot = createPot({
        budget: own,
        limit: (key) => `limits.${key} ${origin}`,
        above,
        queue,
        unpriced,
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
