import type { DeskContext } from './desk-context.ts'
import { readSummary, type RunSummary } from './run-summary.ts'
import type { RunView } from './run-view.ts'

/** The runs of a principal, the last begun first: those that wait for room before all. */
export async function listRuns(
  { principal, limit }: { readonly principal: string; readonly limit: number },
  { store, live }: Pick<DeskContext, 'store' | 'live'>,
): Promise<readonly RunSummary[]> {
  const roots = (await store.roots({ principal })).toReversed()
  const begun = new Set(roots.map(({ rootRunId }) => rootRunId))
  const waiting = [...live.values()].flatMap(({ principal: owner, queued }) =>
    owner !== principal || queued === undefined || begun.has(queued.runId) ? [] : [toSummary(queued)],
  )
  const summaries: RunSummary[] = waiting.toReversed().slice(0, limit)
  for (const root of roots) {
    if (summaries.length === limit) break
    const summary = await readSummary(store, root)
    if (summary !== undefined) summaries.push(summary)
  }
  return summaries
}

function toSummary({ runId, agent, state, sessionId, startedAt, input, detail }: RunView): RunSummary {
  return { runId, agent, state, sessionId, startedAt, input, detail }
}
