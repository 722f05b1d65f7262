import type { RunSummary, RunView } from '@troupe/headends'

/** Newest first. */
export interface RunList {
  readonly runs: readonly RunSummary[]
}

/** How many runs are asked for at most. */
const MOST = 500

/** Where the runs are listed. */
export const RUNS_PATH: string = `api/runs?limit=${MOST}`

/** Where one run is told of. */
export function runPath(runId: string): string {
  return `api/runs/${encodeURIComponent(runId)}`
}

/** True while something may still happen to a run. */
export function isOpenRun({ state }: Pick<RunView, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'waiting'
}
