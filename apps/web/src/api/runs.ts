import type { RunPrompt, RunView } from '@troupe/headends'

/** Returns the path of a page of the list of runs. */
export function runListPath(query: Readonly<Record<string, string>>): string {
  return `api/runs?${new URLSearchParams(query).toString()}`
}

/** The path of the open approvals. */
export const APPROVALS_PATH = 'api/approvals'

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
