import { troupeError, type TroupeError } from '@troupe/schema'
import type { RootRunRecord } from '@troupe/schema/ports'
import type { RunServiceContext } from './run-service-context.ts'
import type { RunView } from './run-view.ts'

/** A run, and the principal that requests it. */
export interface RunRef {
  readonly runId: string
  readonly principal: string
}

/** Returns the root run if it belongs to the principal. Rejects with `run_unknown`. */
export async function findRun(
  { runId, principal }: RunRef,
  { store }: Pick<RunServiceContext, 'store'>,
): Promise<RootRunRecord> {
  const [root] = await store.roots({ principal, rootRunId: runId })
  if (root === undefined) throw unknownRun(runId)
  return root
}

/** Returns the view of a queued run, or `undefined` if the run is persisted or not known here. */
export async function queuedRun(
  { runId, principal }: RunRef,
  { live, store }: Pick<RunServiceContext, 'live' | 'store'>,
): Promise<RunView | undefined> {
  const waiting = live.get(runId)
  if (waiting?.principal !== principal || waiting.queued === undefined) return undefined
  return (await isPersisted(runId, { store })) ? undefined : waiting.queued
}

/** Returns true if the store has events of the run. */
export async function isPersisted(
  runId: string,
  { store }: Pick<RunServiceContext, 'store'>,
): Promise<boolean> {
  return (await store.events(runId, { limit: 1 })).length > 0
}

/**
 * Creates the error for an unknown run. Runs of other principals get the same error, so that it does not
 * reveal that they exist.
 */
export function unknownRun(runId: string): TroupeError {
  return troupeError('run_unknown', `There is no run ${runId.slice(0, 100)}.`)
}
