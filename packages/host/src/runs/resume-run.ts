import type { RunReport, RunStore } from '@troupe/schema'
import { withHistory } from '../conversation/stored-history.ts'
import type { TeamSnapshot } from '../team-snapshot.ts'
import type { ResumeOptions } from '../host-types.ts'
import { storedChanges } from '../team/team-changes.ts'
import { findAgent } from './find-agent.ts'
import type { RunsContext } from './runs-context.ts'
import { readStoredRun, refuseChanges, storedReport } from './stored-run.ts'
import { useTeam } from './use-team.ts'

/** Resumes an interrupted run. For a run that has ended, emits its events and returns its report again. */
export async function resumeRun(
  runId: string,
  options: ResumeOptions,
  context: RunsContext,
): Promise<RunReport> {
  const { team } = context
  const store = context.requireStore()
  const changes = await storedChanges(store, runId, team.current.redactor)
  const resumeWith = (snapshot: TeamSnapshot): Promise<RunReport> =>
    resume(runId, { ...options, store }, { ...context, snapshot })
  return useTeam(team, resumeWith, changes)
}

async function resume(
  runId: string,
  { acceptChanges = false, store, ...options }: ResumeOptions & { readonly store: RunStore },
  { snapshot, roots }: RunsContext & { readonly snapshot: TeamSnapshot },
): Promise<RunReport> {
  const { loaded, redactor, executor: starter } = snapshot
  const stored = await readStoredRun(store, runId, redactor)
  if (stored.end !== undefined) {
    for (const event of stored.events) options.onEvent?.(event)
    return storedReport(stored, stored.end)
  }
  const { definition } = findAgent(loaded, stored.request.agent.name).member
  if (!acceptChanges) refuseChanges(stored, loaded.catalogue)
  const { name, digest } = definition
  const storedRequest = await withHistory(stored.request, { store, redactor })
  const request = { ...storedRequest, agent: { name, digest } }
  return roots.resume({ team: snapshot, definition, request, store, options, starter })
}
