import { createDiscardingLog, randomId, type Stop } from '@troupe/core'
import {
  TroupeError,
  type Failure,
  type RootLog,
  type RunReport,
  type RunRequest,
  type RunResult,
} from '@troupe/schema'
import { reportBase } from '../runs/broken-report.ts'
import { beginTurn, sessionOf } from '../conversation/begin-turn.ts'
import { isRefusal, type Conversations, type Turn } from '../conversation/conversations.ts'
import { storedConversations } from '../conversation/stored-conversations.ts'
import { failedReport } from '../runs/to-report.ts'
import { recordRoot } from './record-root.ts'
import type { RootRun } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'
import { runRoot } from './run-root.ts'
import { toRequest } from './to-request.ts'

/** Starts a root run as the next turn of its session: opens its log, reads the history and runs. */
export async function startRoot(run: RootRun, context: RootsContext, stop: Stop): Promise<RunReport> {
  const runId = run.options.runId ?? randomId('run')
  const turn = await beginTurn(run, { runId, conversations: conversationsOf(run, context) })
  if (isRefusal(turn)) return refuse(run, runId, turn)
  let result: RunResult | undefined
  const onResult = (ended: RunResult): void => void (result = ended)
  try {
    const log = await openLog(runId, run, context)
    const request = { ...toRequest(run, runId), ...(await pastOf(turn, log)) }
    const root = { ...run, request, log, onResult }
    const { record } = run.options
    return await (record === undefined
      ? runRoot(root, context, stop)
      : recordRoot(root, record, { context, stop }))
  } catch (thrown) {
    if (TroupeError.isInstance(thrown) && thrown.code === 'session_busy')
      return refuse(run, runId, thrown.failure)
    throw thrown
  } finally {
    turn.end(result)
  }
}

/** Returns the store if runs of the agent are stored fully, else memory. */
function conversationsOf({ team, definition }: RootRun, { store, remembered }: RootsContext): Conversations {
  return store !== undefined && team.keeps(definition.name) === 'full'
    ? storedConversations(store)
    : remembered
}

function openLog(
  runId: string,
  { team, definition, options }: RootRun,
  { store, owner }: RootsContext,
): RootLog | Promise<RootLog> {
  const detail = team.keeps(definition.name)
  return store === undefined || detail === 'none'
    ? createDiscardingLog()
    : store.open(runId, owner, { detail, session: sessionOf(options, runId) })
}

/** Reads the history of the turn. Must be called after the log was opened. */
async function pastOf(turn: Turn, log: RootLog): Promise<Pick<RunRequest, 'history' | 'continues'>> {
  try {
    return await turn.past()
  } catch (thrown) {
    await log.close()
    throw thrown
  }
}

/** Returns the report of a run that its session refused. */
function refuse({ definition, options }: RootRun, runId: string, reason: Failure): RunReport {
  return failedReport(reason, reportBase(definition, { ...options, runId }))
}
