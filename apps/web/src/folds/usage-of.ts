import { sumUsage, type Usage } from '@troupe/schema'
import type { Picture } from './picture.ts'

/** What all runs of a root used so far. */
export function usageOf({ timeline }: Picture): Usage {
  return sumUsage(timeline.runs.map((run) => run.usage))
}
