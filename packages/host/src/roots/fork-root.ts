import type { Stop } from '@troupe/core'
import { troupeError, type LogEntry, type RunReport } from '@troupe/schema'
import { continueRoot } from './resume-root.ts'
import type { KeptRootRun } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'

/** A root run that starts with a copy of the beginning of another one. */
export interface ForkedRoot extends KeptRootRun {
  /** Log entries copied from the other run, with the ids of this one. */
  readonly prefix: readonly LogEntry[]
}

/** Stores the copied entries and continues from there like a resumed run. */
export async function forkRoot(
  { prefix, ...run }: ForkedRoot,
  context: RootsContext,
  stop: Stop,
): Promise<RunReport> {
  refuseUnkept(run)
  const { request, store } = run
  const { runId, sessionId, principal } = request
  const log = await store.open(runId, context.owner, { session: { sessionId, principal } })
  for (const entry of prefix) log.write(entry)
  await log.durable()
  return continueRoot({ ...run, log, events: await store.events(runId), idle: [] }, context, stop)
}

/** Throws `run_not_resumable` if runs of the agent are not fully stored. */
function refuseUnkept({ team, definition: { name } }: KeptRootRun): void {
  const detail = team.keeps(name)
  if (detail !== 'full')
    throw troupeError('run_not_resumable', `${name} has \`store: ${detail}\`: its runs cannot be forked.`)
}
