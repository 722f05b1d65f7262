import { sumUsage, type Usage } from '@troupe/schema'
import type { Picture } from './picture.ts'

/** Returns the usage of all runs in the tree so far. */
export function usageOf({ timeline }: Picture): Usage {
  return sumUsage(timeline.runs.map((run) => run.usage))
}
