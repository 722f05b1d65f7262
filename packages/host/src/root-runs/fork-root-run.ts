import type { Cancellation } from '@troupe/core'
import { troupeError, type LogEntry, type RunReport } from '@troupe/schema'
import { continueRootRun } from './resume-root-run.ts'
import type { StoredRootRun } from './root-run.ts'
import type { RootRunsContext } from './root-runs-context.ts'

/** A root run that starts with a copy of the beginning of another one. */
export interface RootRunFork extends StoredRootRun {
  /** Log entries copied from the other run, with the ids of this one. */
  readonly prefix: readonly LogEntry[]
}

/** Stores the copied entries and continues from there like a resumed run. */
export async function forkRootRun(
  { prefix, ...run }: RootRunFork,
  context: RootRunsContext,
  stop: Cancellation,
): Promise<RunReport> {
  requireFullStore(run)
  const { request, store } = run
  const { runId, sessionId, principal } = request
  const log = await store.open(runId, context.owner, { session: { sessionId, principal } })
  for (const entry of prefix) log.append(entry)
  await log.waitForCommit()
  return continueRootRun({ ...run, log, events: await store.events(runId), idle: [] }, context, stop)
}

/** Throws `run_not_resumable` if runs of the agent are not fully stored. */
function requireFullStore({ team, definition: { name } }: StoredRootRun): void {
  const detail = team.storeDetailOf(name)
  if (detail !== 'full')
    throw troupeError('run_not_resumable', `${name} has \`store: ${detail}\`: its runs cannot be forked.`)
}
