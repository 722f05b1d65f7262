import type { RunListOptions, RunPage, RunSummary } from '@troupe/client'

/** Number of characters of an input in a change. A longer one is cut off. */
const MAX_INPUT = 500

/** A list of runs after changes of the server. */
interface ChangedPage {
  readonly page: RunPage
  /** True if only the server knows which runs belong to the list. */
  readonly isStale: boolean
}

/**
 * Applies changed runs to a loaded list: updates its runs, adds those that started since, and removes those that no
 * longer match the filter. Returns the same page if nothing changes.
 */
export function applyChanges(
  loaded: RunPage,
  changed: readonly RunSummary[],
  filter: RunListOptions,
): ChangedPage {
  let { runs } = loaded
  let isStale = false
  for (const run of changed) {
    const index = runs.findIndex(({ runId }) => runId === run.runId)
    const known = runs[index]
    const isListed = matches(run, filter)
    if (known !== undefined) runs = isListed ? runs.with(index, update(known, run)) : runs.toSpliced(index, 1)
    else if (isListed && isInRange(run, loaded)) {
      if (filter.q === undefined && run.input.length < MAX_INPUT) runs = insert(runs, run)
      else isStale = true
    }
  }
  return { page: runs === loaded.runs ? loaded : { ...loaded, runs }, isStale }
}

/** Returns false if a run does not meet a condition other than the text, which only the server can search. */
function matches(run: RunSummary, { session, conversations, agent, state, label }: RunListOptions): boolean {
  return (
    (session === undefined || run.sessionId === session) &&
    (conversations === undefined || run.sessionId !== run.runId) &&
    (agent === undefined || run.agent === agent) &&
    (state === undefined || state.split(',').includes(run.state)) &&
    (label === undefined || run.label?.value === label)
  )
}

/** Returns true for a run that is not older than the loaded ones. */
function isInRange({ startedAt }: RunSummary, { runs, next }: RunPage): boolean {
  const oldest = runs.at(-1)
  return next === undefined || oldest === undefined || startedAt >= oldest.startedAt
}

function insert(runs: readonly RunSummary[], run: RunSummary): readonly RunSummary[] {
  const index = runs.findIndex(({ startedAt }) => startedAt <= run.startedAt)
  return runs.toSpliced(index < 0 ? runs.length : index, 0, run)
}

/** Returns the changed run with the whole input, if it was cut off. */
function update(known: RunSummary, run: RunSummary): RunSummary {
  return run.input.length < MAX_INPUT ? run : { ...run, input: known.input }
}
