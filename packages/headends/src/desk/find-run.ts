import { troupeError, type StoredRoot, type TroupeError } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import type { RunView } from './run-view.ts'

/** A run, and who asks for it. */
export interface AskedRun {
  readonly runId: string
  readonly principal: string
}

/** The root of an id, where it belongs to the principal. Rejects with `run_unknown`. */
export async function findRun(
  { runId, principal }: AskedRun,
  { store }: Pick<DeskContext, 'store'>,
): Promise<StoredRoot> {
  const [root] = await store.roots({ principal, rootRunId: runId })
  if (root === undefined) throw unknownRun(runId)
  return root
}

/** How a run stands of which nothing is kept yet; undefined: it is kept, or nobody here knows it. */
export async function queuedRun(
  { runId, principal }: AskedRun,
  { live, store }: Pick<DeskContext, 'live' | 'store'>,
): Promise<RunView | undefined> {
  const waiting = live.get(runId)
  if (waiting?.principal !== principal || waiting.queued === undefined) return undefined
  return (await isKept(runId, { store })) ? undefined : waiting.queued
}

/** Something of the run is in the store. */
export async function isKept(runId: string, { store }: Pick<DeskContext, 'store'>): Promise<boolean> {
  return (await store.events(runId, { limit: 1 })).length > 0
}

/** There is none, or it is somebody else's: nobody learns which. */
export function unknownRun(runId: string): TroupeError {
  return troupeError('run_unknown', `There is no run ${runId.slice(0, 100)}.`)
}
