import type { Stop } from '@troupe/core'
import { troupeError, type LogEntry, type RunReport } from '@troupe/schema'
import { continueRoot } from './resume-root.ts'
import type { KeptRootRun } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'

/** A root that begins with what another one had done. */
export interface ForkedRoot extends KeptRootRun {
  /** The entries of the other one, under the ids of this. */
  readonly prefix: readonly LogEntry[]
}

/** Saves what is taken over, and goes on from there as a resumed root does. */
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

/** Throws `run_not_resumable` where too little of a run of the agent is kept to go on with it. */
function refuseUnkept({ team, definition: { name } }: KeptRootRun): void {
  const detail = team.keeps(name)
  if (detail !== 'full')
    throw troupeError('run_not_resumable', `${name} has \`store: ${detail}\`: its runs cannot be forked.`)
}
