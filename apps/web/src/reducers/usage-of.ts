import { sumUsage, type Usage } from '@troupe/schema'
import type { RunViewState } from './run-view-state.ts'

/** Returns the usage of all runs in the tree so far. */
export function usageOf({ timeline }: RunViewState): Usage {
  return sumUsage(timeline.runs.map((run) => run.usage))
}
