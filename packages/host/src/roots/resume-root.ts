import { createPast, randomId, type Stop } from '@troupe/core'
import type { RootLog, RunEvent, RunReport, RunStore } from '@troupe/schema'
import { denyExpired } from '../approval/kept-approvals.ts'
import type { KeptRootRun } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'
import { runRoot } from './run-root.ts'

/** Goes on with a root: it runs again from its first turn and finds what is kept of each. Rejects with `store_locked` when another process runs it, or this one. */
export async function resumeRoot(run: KeptRootRun, context: RootsContext, stop: Stop): Promise<RunReport> {
  const { store, request } = run
  // nobody else, and no other run of this host either
  const log = await store.open(request.runId, randomId(context.owner))
  const past = createPast(await eventsToGoOn(store, log, { ...request, now: context.clock.now() }), (runId) =>
    log.steps(runId),
  )
  return runRoot({ ...run, log, past }, context, stop)
}

/** What has happened so far; calls that nobody has decided on in time are denied by now. */
async function eventsToGoOn(
  store: RunStore,
  log: RootLog,
  { runId, now }: { readonly runId: string; readonly now: number },
): Promise<readonly RunEvent[]> {
  const events = await store.events(runId)
  if (!(await denyExpired(log, events, now))) return events
  await log.durable()
  return store.events(runId)
}
