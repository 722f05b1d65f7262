import type { JsonObject, RunListener, RunOptions, RunReport } from '@troupe/schema'
import { awaitBegin, type StartedRun } from './await-begin.ts'
import type { DeskContext } from './desk-context.ts'
import { DETACHED } from './detached.ts'
import { capsNote } from './kept-caps.ts'
import { putToWork } from './put-to-work.ts'
import type { RunView } from './run-view.ts'

/** A request to start a run. */
export interface DeskRun {
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
export function startRun(run: DeskRun, context: DeskContext): Promise<StartedRun | RunReport> {
  const { agent, input, principal, options } = run
  const { clock, newId, runner, unkept } = context
  const runId = options.runId ?? newId('run')
  const note = { ...options.note, ...DETACHED, ...capsNote(options) }
  const definition = runner.agents().find(({ name }) => name === agent)
  const session = { sessionId: options.sessionId ?? runId, principal }
  const memory = definition?.store === 'none' ? unkept.begin(runId, session) : undefined
  const working = putToWork(
    {
      runId,
      principal,
      queued: queuedView(runId, run, clock.now()),
      async begin(own) {
        const onEvent: RunListener = (event) => {
          memory?.tell(event)
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
  return awaitBegin(working, context)
}

/** Creates the view of a run of which nothing is persisted yet. */
function queuedView(runId: string, { agent, input, options }: DeskRun, startedAt: number): RunView {
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
