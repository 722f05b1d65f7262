import { randomId } from '@troupe/core'
import type { RunEvent, RunOptions, RunReport } from '@troupe/schema'
import { withHistory } from '../conversations/stored-conversations.ts'
import { findAgent } from '../plan/find-agent.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { useTeam } from '../snapshot/team-snapshots.ts'
import { resumeOnWorkers, runRoot } from './dispatch-run.ts'
import { readResumeState } from './resume-state.ts'
import type { RunsContext } from './runs-context.ts'
import { readStoredRun, refuseChanges, storedChanges, storedReport } from './stored-run.ts'

/** Options of `Host.resume`. */
export interface ResumeOptions extends Pick<
  RunOptions,
  | 'signal'
  | 'onEvent'
  | 'deltas'
  | 'approve'
  | 'ask'
  | 'wait'
  | 'resumable'
  | 'timeout'
  | 'budget'
  | 'spendingLimit'
> {
  /** True to resume with cards that have changed since. Default: such a run is refused. */
  readonly acceptChanges?: boolean
}

/**
 * Resumes an interrupted run. It runs again from its first turn and uses the stored result of each step. A
 * run that was accepted and has not started is started. For a run that has ended, emits its events and
 * returns its report again. Rejects with `store_locked` while any process, including this one, runs it.
 */
export async function resumeRun(
  runId: string,
  { acceptChanges = false, ...options }: ResumeOptions,
  context: RunsContext,
): Promise<RunReport> {
  const { team, clock } = context
  const store = context.requireStore()
  const changes = await storedChanges(store, runId, team.current.redactor)
  const resume = async (snapshot: TeamSnapshot): Promise<RunReport> => {
    const { loaded, redactor } = snapshot
    const stored = await readStoredRun(store, runId, redactor)
    if (stored.end !== undefined) {
      for (const event of stored.events) options.onEvent?.(event)
      return storedReport(stored, stored.end)
    }
    const { definition } = findAgent(loaded, stored.request.agent.name).member
    if (!acceptChanges) refuseChanges(stored, loaded.catalogue)
    const { name, digest } = definition
    const request = {
      ...(await withHistory(stored.request, { store, redactor })),
      agent: { name, digest },
    }
    const root = { team: snapshot, definition, request, options }
    return context.live.start(runId, async (handle) => {
      const report = await resumeOnWorkers(root, handle, context)
      if (report !== undefined) return report
      // A separate owner id, so that another run of this host cannot share the log.
      const log = await store.open(runId, randomId(context.owner))
      const readEvents = async (): Promise<readonly RunEvent[]> => store.events(runId)
      const past = await readResumeState(log, { runId, clock, readEvents }).catch(async (error: unknown) => {
        await log.close()
        throw error
      })
      return runRoot({ ...root, log, ...(past === undefined ? {} : { past }) }, handle, context)
    })
  }
  return useTeam(team, resume, changes)
}
