import { troupeError, type RunReport } from '@troupe/schema'
import type { StartedRun } from './await-start.ts'
import type { RunServiceContext } from './run-service-context.ts'
import { findRun, type RunRef } from './find-run.ts'
import { readCaps } from './run-caps.ts'
import { readRequest, type StoredRunRequest } from './stored-run-request.ts'
import { startRun, type StartRunRequest } from './start-run.ts'

/**
 * Repeats a run as a new run with the same limits. Rejects with `run_unknown`, or with `run_not_resumable` if
 * its request is not stored.
 */
export async function retryRun(ref: RunRef, context: RunServiceContext): Promise<StartedRun | RunReport> {
  const { runId, principal } = ref
  await findRun(ref, context)
  const request = await readRequest(context.store, runId)
  if (request === undefined)
    throw troupeError('run_not_resumable', `Only metadata is kept of the run ${runId}.`)
  const { agent, input } = request
  return startRun({ agent: agent.name, input, principal, options: sameOptions(runId, request) }, context)
}

function sameOptions(
  retryOf: string,
  { output, attachments, team, note }: StoredRunRequest,
): StartRunRequest['options'] {
  return {
    ...(output === undefined ? {} : { output }),
    ...(attachments === undefined ? {} : { attachments }),
    ...(team?.model === undefined ? {} : { model: team.model }),
    ...readCaps(note),
    note: { ...note, retryOf },
  }
}
