import type { Purse } from '@troupe/schema'

/** Counts the runs of one root, itself included. Refuses, never queues (decision 6). */
export function createPurse(): Purse {
  let runs = 0
  return {
    openRun: (maxRuns) => {
      if (runs >= maxRuns) return false
      runs += 1
      return true
    },
  }
}
