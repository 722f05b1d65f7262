import { createRecorder, writeCassette } from '@troupe/cassette'
import { createDiscardingLog, toStoredRequest } from '@troupe/core'
import { redactValues } from '@troupe/env'
import { failure, TroupeError, troupeError, type Failure, type RunReport } from '@troupe/schema'
import {
  QUEUED_STEP,
  type AcceptedRun,
  type RunResult,
  type RunTreeLog,
  type StartOptions,
} from '@troupe/schema/ports'
import {
  isRefusal,
  type ConversationSource,
  type ConversationTurn,
  type TurnHistory,
  startConversationTurn,
} from '../conversations/conversation-turn.ts'
import { createStoredConversations } from '../conversations/stored-conversations.ts'
import { runRoot } from './dispatch-run.ts'
import { executeRootRun, type RootRun } from './execute-root-run.ts'
import type { RunHandle, RunsContext } from './runs-context.ts'
import { failedReport, reportBase } from './report.ts'

/** A root run that is about to be opened. */
type UnopenedRun = Omit<RootRun, 'log'> & {
  /** True for a run that no later run of the session continues. */
  readonly isSingle?: true
}

/**
 * Starts a root run as the next turn of its session: opens its log, reads the history and runs. Resolves for
 * every outcome. Rejects if the store cannot open a log.
 */
export function startRootRun(run: UnopenedRun, context: RunsContext): Promise<RunReport> {
  return context.live.start(run.request.runId, (handle) =>
    withOpenRun(run, context, (root) =>
      (root.options.record === undefined ? runRoot : recordRootRun)(root, handle, context),
    ),
  )
}

/**
 * Opens a root run as the next turn of its session and stores its request. Calls `onAccepted` once, and
 * resolves with the report when the run has ended. Resolves without calling it if the run is refused.
 */
export function acceptRootRun(
  run: UnopenedRun,
  context: RunsContext,
  onAccepted: (accepted: AcceptedRun) => void,
): Promise<RunReport> {
  const { runId } = run.request
  const next = Promise.withResolvers<StartOptions | undefined>()
  const done = context.live.start(runId, (handle) => {
    handle.stop.onCancel(() => next.resolve(undefined))
    return withOpenRun(run, context, async (root) => {
      const seal = run.team.redactor?.seal
      const request = toStoredRequest(root.request)
      root.log.append({
        runId,
        step: { key: QUEUED_STEP, value: seal === undefined ? request : redactValues(request, seal) },
      })
      await root.log.waitForCommit()
      onAccepted({
        runId,
        start: (options = {}) => {
          next.resolve(options)
          return done
        },
        release: async () => {
          next.resolve(undefined)
          await done
        },
      })
      const options = await next.promise
      if (options !== undefined)
        return runRoot({ ...root, options: { ...root.options, ...options } }, handle, context)
      await root.log.close()
      return refusedReport(run, NOT_STARTED)
    })
  })
  return done
}

const NOT_STARTED = failure('run_interrupted', 'The run was not started. It remains in the store.')

/**
 * Opens the log of a root run, reads its history and calls `work`, which closes the log. Returns the report
 * of a run that its session refuses.
 */
async function withOpenRun(
  run: UnopenedRun,
  context: RunsContext,
  work: (root: RootRun) => Promise<RunReport>,
): Promise<RunReport> {
  const { isSingle, ...root } = run
  const { team, definition, options } = root
  const { runId, values } = run.request
  const turn = await startConversationTurn(
    { runId, agent: definition.name, options, redactor: team.redactor, isSingle, values },
    conversationsOf(run, context),
  )
  if (isRefusal(turn)) return refusedReport(run, turn)
  let result: RunResult | undefined
  const onResult = (runResult: RunResult): void => void (result = runResult)
  try {
    const log = await openLog(run, context)
    if (options.requireNewId === true) await requireNewRun(runId, log, context)
    // A message of plain text keeps the values of the messages before it.
    const request = { ...(await readHistory(turn, log)), ...run.request }
    return await work({ ...root, request, log, onResult })
  } catch (thrown) {
    if (TroupeError.isInstance(thrown) && thrown.code === 'session_busy')
      return refusedReport(run, thrown.failure)
    throw thrown
  } finally {
    turn.end(result)
  }
}

/** Returns the store if runs of the agent are stored fully, else memory. */
function conversationsOf(
  { team, definition }: Pick<RootRun, 'team' | 'definition'>,
  { store, remembered }: RunsContext,
): ConversationSource {
  return store !== undefined && team.storeDetailOf(definition.name) === 'full'
    ? createStoredConversations(store)
    : remembered
}

function openLog(
  { team, definition, request }: Pick<RootRun, 'team' | 'definition' | 'request'>,
  { store, owner }: RunsContext,
): RunTreeLog | Promise<RunTreeLog> {
  const detail = team.storeDetailOf(definition.name)
  const { runId, sessionId, principal } = request
  return store === undefined || detail === 'none'
    ? createDiscardingLog()
    : store.open(runId, owner, { detail, session: { sessionId, principal } })
}

/**
 * Throws `run_exists` if the store has the run. Must be called after the log was opened, so that no other
 * process can start the run.
 */
async function requireNewRun(runId: string, log: RunTreeLog, { store }: RunsContext): Promise<void> {
  const events = (await store?.events(runId, { limit: 1 })) ?? []
  if (events.length === 0 && (await log.steps(runId)).size === 0) return
  await log.close()
  throw troupeError('run_exists', `The run ${runId} was already started.`)
}

/** Reads the history of the turn. Must be called after the log was opened. */
async function readHistory(turn: ConversationTurn, log: RunTreeLog): Promise<TurnHistory> {
  try {
    return await turn.loadHistory()
  } catch (thrown) {
    await log.close()
    throw thrown
  }
}

/** Returns the report of a run that its session refused. */
function refusedReport(
  { definition, request, options }: Pick<RootRun, 'definition' | 'request' | 'options'>,
  reason: Failure,
): RunReport {
  return failedReport(reason, reportBase(definition, { ...options, runId: request.runId }))
}

/** Runs and records a root run. A suspended one is not recorded, as it has not ended. */
async function recordRootRun(root: RootRun, handle: RunHandle, context: RunsContext): Promise<RunReport> {
  const { redactor } = root.team
  const { headless = false, wait = false, record } = root.options
  const seal = (text: string): string => redactor?.seal(text) ?? text
  const { history } = root.request
  const recorder = createRecorder({
    seal,
    headless,
    ...(history === undefined ? {} : { history: redactValues(history, seal) }),
  })
  // The log of the recorder always accepts steps. Only a run that is persisted may be suspended.
  const options = { ...root.options, wait: wait && root.log.isPersistent }
  const recorded = { ...root, options, log: recorder.log(root.log), recording: recorder }
  const report = await executeRootRun(recorded, handle, context)
  if (report.error?.code !== 'run_waiting') await record?.(writeCassette(recorder.cassette()))
  return report
}
