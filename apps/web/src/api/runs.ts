import type { RunPrompt, RunSummary, RunView } from '@troupe/headends'

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

/** The prompts of the agents of a run. */
export interface RunPrompts {
  readonly prompts: readonly RunPrompt[]
}

/** Where they are told of, to who may change them. */
export function promptsPath(runId: string): string {
  return `${runPath(runId)}/prompts`
}

/** True while something may still happen to a run. */
export function isOpenRun({ state }: Pick<RunView, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'waiting'
}
