import type { RunTreeContext } from '@troupe/schema'
import type { Run } from '../session/run.ts'

/** Wall time in ms since the first start of a run, and the part of it in which the run was active. */
export interface RunTime {
  readonly durationMs: number
  readonly activeMs: number
}

/** Returns the times of a run in progress. `startedAt` is the monotonic time of its start in this process. */
export function runTime(run: Run, startedAt: number): RunTime {
  const { root, journal, request } = run
  const pausedMs = Math.round(run.deadline?.paused() ?? 0)
  if (journal !== undefined) return timeSince(root, request.runId, pausedMs)
  const durationMs = Math.round(root.clock.monotonic() - startedAt)
  return { durationMs, activeMs: Math.max(0, durationMs - pausedMs) }
}

/**
 * Returns the times of a run that started before its root run was resumed. All runs of the tree measure from
 * the resume on one monotonic clock, so that no run is shorter than its descendants. `pausedMs` is the
 * inactive time since then.
 */
export function timeSince({ resumeState, clock }: RunTreeContext, runId: string, pausedMs: number): RunTime {
  const before = resumeState?.timeBefore(runId) ?? { durationMs: 0, activeMs: 0 }
  const sinceResume = Math.round(clock.monotonic() - (resumeState?.resumedAt ?? clock.monotonic()))
  return {
    durationMs: before.durationMs + sinceResume,
    activeMs: before.activeMs + Math.max(0, sinceResume - pausedMs),
  }
}
