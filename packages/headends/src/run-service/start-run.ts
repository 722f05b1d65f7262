import {
  type JsonObject,
  type RunListener,
  type RunOptions,
  type RunReport,
  troupeError,
} from '@troupe/schema'
import { findRun, type RunRef } from './find-run.ts'
import { awaitStart, type StartedRun, launchRun } from './launch-run.ts'
import type { RunServiceContext } from './run-service-context.ts'
import type { RunView } from './run-view.ts'
import {
  DETACHED_NOTE,
  toLimitsNote,
  readLimits,
  readRequest,
  type StoredRunRequest,
} from './stored-run-request.ts'

/** A request to start a run. */
export interface StartRunRequest {
  readonly agent: string
  readonly input: string | JsonObject
  readonly principal: string
  readonly options: Omit<
    RunOptions,
    'signal' | 'onEvent' | 'approve' | 'ask' | 'wait' | 'resumable' | 'principal'
  >
}

/**
 * Starts a run that belongs to no connection. Resolves when it is active or queued; a run that ends before
 * anything is persisted resolves with its report.
 */
export function startRun(run: StartRunRequest, context: RunServiceContext): Promise<StartedRun | RunReport> {
  const { agent, input, principal, options } = run
  const { clock, newId, runner, memoryRuns } = context
  const runId = options.runId ?? newId('run')
  const note = { ...options.note, ...DETACHED_NOTE, ...toLimitsNote(options) }
  const definition = runner.agents().find(({ name }) => name === agent)
  const session = { sessionId: options.sessionId ?? runId, principal }
  const memory = definition?.store === 'none' ? memoryRuns.add(runId, session) : undefined
  const launched = launchRun(
    {
      runId,
      principal,
      queued: queuedView(runId, run, clock.now()),
      async execute(own) {
        const onEvent: RunListener = (event) => {
          memory?.record(event)
          own.onEvent?.(event)
        }
        try {
          return await runner.run(agent, input, { ...options, ...own, onEvent, runId, principal, note })
        } finally {
          memory?.end()
        }
      },
    },
    context,
  )
  return awaitStart(launched, context)
}

/** Creates the view of a run of which nothing is persisted yet. */
function queuedView(runId: string, { agent, input, options }: StartRunRequest, startedAt: number): RunView {
  return {
    runId,
    agent,
    state: 'queued',
    sessionId: options.sessionId ?? runId,
    startedAt,
    input: typeof input === 'string' ? input : JSON.stringify(input),
    detail: 'full',
    approvals: [],
    lastSeq: 0,
  }
}

/**
 * Repeats a run as a new run with the same limits. Rejects with `run_unknown`, or with `run_not_resumable` if
 * its request is not stored.
 */
export async function retryRun(ref: RunRef, context: RunServiceContext): Promise<StartedRun | RunReport> {
  const { runId, principal } = ref
  await findRun(ref, context)
  const request = await readRequest(context.store, runId)
  if (request === undefined)
    throw troupeError('run_not_resumable', `Only the metadata of the run ${runId} is stored.`)
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
    ...readLimits(note),
    note: { ...note, retryOf },
  }
}
