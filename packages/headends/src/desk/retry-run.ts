import { troupeError, type RunReport } from '@troupe/schema'
import type { StartedRun } from './await-begin.ts'
import type { DeskContext } from './desk-context.ts'
import { findRun, type AskedRun } from './find-run.ts'
import { keptCaps } from './kept-caps.ts'
import { readRequest, type KeptRequest } from './kept-request.ts'
import { startRun, type DeskRun } from './start-run.ts'

/**
 * Repeats a run as a new run with the same limits. Rejects with `run_unknown`, or with `run_not_resumable` if
 * its request is not stored.
 */
export async function retryRun(asked: AskedRun, context: DeskContext): Promise<StartedRun | RunReport> {
  const { runId, principal } = asked
  await findRun(asked, context)
  const kept = await readRequest(context.store, runId)
  if (kept === undefined) throw troupeError('run_not_resumable', `Only metadata is kept of the run ${runId}.`)
  const { agent, input } = kept
  return startRun({ agent: agent.name, input, principal, options: sameOptions(runId, kept) }, context)
}

function sameOptions(retryOf: string, { output, attachments, team, note }: KeptRequest): DeskRun['options'] {
  return {
    ...(output === undefined ? {} : { output }),
    ...(attachments === undefined ? {} : { attachments }),
    ...(team?.model === undefined ? {} : { model: team.model }),
    ...keptCaps(note),
    note: { ...note, retryOf },
  }
}
