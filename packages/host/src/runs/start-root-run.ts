import { createRecorder, writeCassette } from '@troupe/cassette'
import { createDiscardingLog, randomId, type Cancellation } from '@troupe/core'
import { redactValues } from '@troupe/env'
import {
  TroupeError,
  type Failure,
  type RunOptions,
  type RunReport,
  type RunRequest,
  type RunResult,
  type RunTreeLog,
} from '@troupe/schema'
import {
  isRefusal,
  type ConversationSource,
  type ConversationTurn,
} from '../conversations/conversation-source.ts'
import { sessionOf, startConversationTurn } from '../conversations/start-turn.ts'
import { createStoredConversations } from '../conversations/stored-conversations.ts'
import { executeRootRun } from './execute-root-run.ts'
import { failedReport, reportBase } from './report.ts'
import { toRequest, type OpenRootRun, type RootRun } from './root-run.ts'
import type { RootRunsContext } from './runs-context.ts'

/** Starts a root run as the next turn of its session: opens its log, reads the history and runs. */
export async function startRootRun(
  run: RootRun,
  context: RootRunsContext,
  stop: Cancellation,
): Promise<RunReport> {
  const runId = run.options.runId ?? randomId('run')
  const { team, definition, options, isSingle } = run
  const turn = await startConversationTurn(
    { runId, agent: definition.name, options, redactor: team.redactor, isSingle },
    conversationsOf(run, context),
  )
  if (isRefusal(turn)) return toRefusedReport(run, runId, turn)
  let result: RunResult | undefined
  const onResult = (ended: RunResult): void => void (result = ended)
  try {
    const log = await openLog(runId, run, context)
    const request = { ...toRequest(run, runId), ...(await readHistory(turn, log)) }
    const root = { ...run, request, log, onResult }
    const { record } = run.options
    return await (record === undefined
      ? executeRootRun(root, context, stop)
      : recordRootRun(root, record, { context, stop }))
  } catch (thrown) {
    if (TroupeError.isInstance(thrown) && thrown.code === 'session_busy')
      return toRefusedReport(run, runId, thrown.failure)
    throw thrown
  } finally {
    turn.end(result)
  }
}

/** Returns the store if runs of the agent are stored fully, else memory. */
function conversationsOf(
  { team, definition }: RootRun,
  { store, remembered }: RootRunsContext,
): ConversationSource {
  return store !== undefined && team.storeDetailOf(definition.name) === 'full'
    ? createStoredConversations(store)
    : remembered
}

function openLog(
  runId: string,
  { team, definition, options }: RootRun,
  { store, owner }: RootRunsContext,
): RunTreeLog | Promise<RunTreeLog> {
  const detail = team.storeDetailOf(definition.name)
  return store === undefined || detail === 'none'
    ? createDiscardingLog()
    : store.open(runId, owner, { detail, session: sessionOf(options, runId) })
}

/** Reads the history of the turn. Must be called after the log was opened. */
async function readHistory(
  turn: ConversationTurn,
  log: RunTreeLog,
): Promise<Pick<RunRequest, 'history' | 'continues'>> {
  try {
    return await turn.loadHistory()
  } catch (thrown) {
    await log.close()
    throw thrown
  }
}

/** Returns the report of a run that its session refused. */
function toRefusedReport({ definition, options }: RootRun, runId: string, reason: Failure): RunReport {
  return failedReport(reason, reportBase(definition, { ...options, runId }))
}

/** Runs and records a root run. A suspended one is not recorded, as it has not ended. */
async function recordRootRun(
  root: OpenRootRun,
  record: NonNullable<RunOptions['record']>,
  { context, stop }: { readonly context: RootRunsContext; readonly stop: Cancellation },
): Promise<RunReport> {
  const { redactor } = root.team
  const { headless = false, wait = false } = root.options
  const seal = (text: string): string => redactor?.seal(text) ?? text
  const { history } = root.request
  const recorder = createRecorder({
    seal,
    headless,
    ...(history === undefined ? {} : { history: redactValues(history, seal) }),
  })
  // The log of the recorder always accepts steps. Only a run that is persisted may be suspended.
  const options = { ...root.options, wait: wait && root.log.isPersistent }
  const report = await executeRootRun(
    { ...root, options, log: recorder.log(root.log), recording: recorder },
    context,
    stop,
  )
  if (report.error?.code !== 'run_waiting') await record(writeCassette(recorder.cassette()))
  return report
}
