import { findRun, type Timeline, type TimelineRun } from '@troupe/timeline'

/** Returns the instances from the root run to a run, such as `Lead › Scout[5] › Digger[1]`. */
export function runPath(timeline: Timeline, run: TimelineRun): string {
  const names: string[] = []
  const seen = new Set<string>()
  let at: TimelineRun | undefined = run
  while (at !== undefined && !seen.has(at.runId)) {
    seen.add(at.runId)
    names.unshift(at.instance)
    at = at.parentRunId === undefined ? undefined : findRun(timeline, at.parentRunId)
  }
  return names.join(' › ')
}
