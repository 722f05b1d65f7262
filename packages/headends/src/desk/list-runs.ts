import type { DeskContext } from './desk-context.ts'
import { readSummary, type RunSummary } from './run-summary.ts'

/** The runs of a principal, the last begun first. */
export async function listRuns(
  { principal, limit }: { readonly principal: string; readonly limit: number },
  { store }: Pick<DeskContext, 'store'>,
): Promise<readonly RunSummary[]> {
  const roots = (await store.roots({ principal })).toReversed()
  const summaries: RunSummary[] = []
  for (const root of roots) {
    if (summaries.length === limit) break
    const summary = await readSummary(store, root)
    if (summary !== undefined) summaries.push(summary)
  }
  return summaries
}
