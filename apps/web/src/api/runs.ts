import type { RunPrompt, RunSummary, RunView } from '@troupe/headends'
import type { RunListFilter } from '../route/route.ts'

const STATES: Readonly<Record<Exclude<RunListFilter['state'], ''>, readonly RunSummary['state'][]>> = {
  open: ['queued', 'running', 'waiting', 'interrupted'],
  answered: ['completed', 'partial'],
  failed: ['failed', 'timeout', 'budget', 'cancelled', 'denied', 'damaged'],
}

/** The longest search text that the server accepts. */
const LONGEST_TEXT = 200

/** Returns the path of a page of the list of runs. */
export function runListPath(query: Readonly<Record<string, string>>): string {
  return `api/runs?${new URLSearchParams(query).toString()}`
}

/** The path of the list of open approvals. */
export const APPROVALS_PATH = 'api/approvals'

/** Returns the path of a run. */
export function runPath(runId: string): string {
  return `api/runs/${encodeURIComponent(runId)}`
}

/** The prompts of the agents in a run tree. */
export interface RunPrompts {
  readonly prompts: readonly RunPrompt[]
}

/** Returns the path of a run's prompts, which only people who may change them can read. */
export function promptsPath(runId: string): string {
  return `${runPath(runId)}/prompts`
}

/** Returns true if the run is queued, running or waiting. */
export function isOpenRun({ state }: Pick<RunView, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'waiting'
}

/** Returns a filter as the query of the list of runs. */
export function toRunQuery({ text, agent, state }: RunListFilter): Readonly<Record<string, string>> {
  const q = text.trim().slice(0, LONGEST_TEXT)
  return {
    ...(q === '' ? {} : { q }),
    ...(agent === '' ? {} : { agent }),
    ...(state === '' ? {} : { state: STATES[state].join(',') }),
  }
}
