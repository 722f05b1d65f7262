import type { RunSummary } from '@troupe/headends'

/** The filter of the list of runs. */
export interface RunListFilter {
  /** Text in the input, the agent or the id. */
  readonly text: string
  /** Empty for all. */
  readonly agent: string
  readonly state: '' | 'open' | 'answered' | 'failed'
}

/** The filter that matches all runs. */
export const NO_FILTER: RunListFilter = { text: '', agent: '', state: '' }

const STATES: Readonly<Record<Exclude<RunListFilter['state'], ''>, readonly RunSummary['state'][]>> = {
  open: ['queued', 'running', 'waiting', 'interrupted'],
  answered: ['completed', 'partial'],
  failed: ['failed', 'timeout', 'budget', 'cancelled', 'denied', 'damaged'],
}

/** The longest search text that the server accepts. */
const LONGEST_TEXT = 200

/** Returns a filter as the query of the list of runs. */
export function toRunQuery({ text, agent, state }: RunListFilter): Readonly<Record<string, string>> {
  const q = text.trim().slice(0, LONGEST_TEXT)
  return {
    ...(q === '' ? {} : { q }),
    ...(agent === '' ? {} : { agent }),
    ...(state === '' ? {} : { state: STATES[state].join(',') }),
  }
}
