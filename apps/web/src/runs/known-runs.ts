import type { RunPage, RunSummary } from '@troupe/headends'

/** An empty page of the list of runs. */
export const NO_RUNS: RunPage = { runs: [] }

/**
 * Replaces the start of the known runs with the newest page. Drops the older runs if there may be a gap
 * between them.
 */
export function mergeNewest(known: RunPage, newest: RunPage): RunPage {
  const last = newest.runs.at(-1)
  const at = known.runs.findIndex(({ runId }) => runId === last?.runId)
  if (at < 0 || newest.next === undefined) return newest
  return join(newest.runs, known.runs.slice(at + 1), known.next)
}

/** Adds a page that was requested with `before`, and replaces the known runs that it covers. */
export function mergePage(known: RunPage, before: string, page: RunPage): RunPage {
  const at = known.runs.findIndex(({ runId }) => runId === before)
  const head = at < 0 ? known.runs : known.runs.slice(0, at + 1)
  const end = known.runs.findIndex(({ runId }) => runId === page.runs.at(-1)?.runId)
  if (end < 0 || page.next === undefined) return join(head, page.runs, page.next)
  return join([...head, ...page.runs], known.runs.slice(end + 1), known.next)
}

/**
 * Returns the run before the first open one of the older runs, starting at `from`, then at the beginning. The
 * page after it must be requested again. `undefined` if no older run is open.
 */
export function findBeforeOpen(
  { runs }: RunPage,
  { newest, from }: { readonly newest: number; readonly from: number },
): { readonly before: string; readonly at: number } | undefined {
  const isOpen = ({ state }: RunSummary, index: number): boolean =>
    index >= newest && (state === 'queued' || state === 'running' || state === 'waiting')
  const next = runs.findIndex((run, index) => index >= from && isOpen(run, index))
  const at = next < 0 ? runs.findIndex(isOpen) : next
  const before = runs[at - 1]?.runId
  return before === undefined ? undefined : { before, at }
}

function join(head: readonly RunSummary[], tail: readonly RunSummary[], next: string | undefined): RunPage {
  const known = new Set(head.map(({ runId }) => runId))
  const runs = [...head, ...tail.filter(({ runId }) => !known.has(runId))]
  return next === undefined ? { runs } : { runs, next }
}
