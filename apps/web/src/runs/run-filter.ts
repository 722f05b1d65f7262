import type { RunSummary } from '@troupe/headends'

/** Which runs are looked for. */
export interface RunFilter {
  /** Text that stands in the input, the agent or the id. */
  readonly text: string
  /** Empty: all. */
  readonly agent: string
  readonly state: '' | 'open' | 'answered' | 'failed'
}

/** All runs. */
export const NO_FILTER: RunFilter = { text: '', agent: '', state: '' }

const STATES: Readonly<Record<Exclude<RunFilter['state'], ''>, readonly RunSummary['state'][]>> = {
  open: ['queued', 'running', 'waiting', 'interrupted'],
  answered: ['completed', 'partial'],
  failed: ['failed', 'timeout', 'budget', 'cancelled', 'denied', 'damaged'],
}

/** The longest text that the server searches for. */
const LONGEST_TEXT = 200

/** Returns a filter as query of the list of runs. */
export function toRunQuery({ text, agent, state }: RunFilter): Readonly<Record<string, string>> {
  const q = text.trim().slice(0, LONGEST_TEXT)
  return {
    ...(q === '' ? {} : { q }),
    ...(agent === '' ? {} : { agent }),
    ...(state === '' ? {} : { state: STATES[state].join(',') }),
  }
}
