import type { RunSummary } from '@troupe/headends'

/** Which runs are looked for. */
export interface RunFilter {
  /** Letters that stand in the input, the agent or the id. */
  readonly text: string
  /** Empty: all. */
  readonly agent: string
  readonly state: '' | 'open' | 'answered' | 'failed'
}

/** All runs. */
export const NO_FILTER: RunFilter = { text: '', agent: '', state: '' }

const STATES: Readonly<Record<Exclude<RunFilter['state'], ''>, ReadonlySet<RunSummary['state']>>> = {
  open: new Set(['queued', 'running', 'waiting', 'interrupted']),
  answered: new Set(['completed', 'partial']),
  failed: new Set(['failed', 'timeout', 'budget', 'cancelled', 'denied', 'damaged']),
}

/** The runs that a filter lets through, in their order. */
export function filterRuns(
  runs: readonly RunSummary[],
  { text, agent, state }: RunFilter,
): readonly RunSummary[] {
  const wanted = text.trim().toLowerCase()
  return runs.filter(
    (run) =>
      (agent === '' || run.agent === agent) &&
      (state === '' || STATES[state].has(run.state)) &&
      (wanted === '' || `${run.input}\n${run.agent}\n${run.runId}`.toLowerCase().includes(wanted)),
  )
}
