import {
  type JsonObject,
  type RunEvent,
  type RunListener,
  type RunOptions,
  type RunReport,
  toFailure,
  troupeError,
  failure,
  type Failure,
} from '@troupe/schema'
import {
  findRun,
  type RunRef,
  isPersisted,
  DETACHED_NOTE,
  toLimitsNote,
  readLimits,
  readRequest,
  type StoredRunRequest,
} from './stored-run.ts'
import { isAccepted } from '@troupe/schema/ports'
import type { RunServiceContext, LiveRun } from './run-service-context.ts'
import type { RunView } from './run-view.ts'

/** A request to start a run. */
export interface StartRunRequest {
  readonly agent: string
  readonly input: string | JsonObject
  readonly principal: string
  readonly options: Omit<
    RunOptions,
    'signal' | 'onEvent' | 'approve' | 'ask' | 'wait' | 'resumable' | 'principal'
  >
  readonly observer?: RunObserver
  /** True to refuse a run that would not be stored fully, with `request_invalid`. Default: false. */
  readonly requireFullStore?: boolean
}

/** An observer of a run while this process executes it. */
export interface RunObserver {
  /** Called with all events, deltas included. */
  onEvent(event: RunEvent): void
  /** Called once, when the run has ended, was suspended or was interrupted, or could not start. */
  onSettled(end: RunReport | Failure): void
}

/**
 * Starts a run that belongs to no connection. Resolves when it is active, or queued and stored; a run that is
 * refused resolves with its report.
 */
export async function startRun(
  run: StartRunRequest,
  context: RunServiceContext,
): Promise<StartedRun | RunReport> {
  const { agent, input, principal, options } = run
  const { clock, newId, runner, memoryRuns, host } = context
  const runId = options.runId ?? newId('run')
  const note = { ...options.note, ...DETACHED_NOTE, ...toLimitsNote(options) }
  const accepted = await host.accept(agent, input, { ...options, runId, principal, note })
  if (!isAccepted(accepted)) return accepted
  if (run.requireFullStore === true && (await readRequest(context.store, runId)) === undefined) {
    await accepted.release()
    throw troupeError('request_invalid', `The runs of ${agent} are not stored fully.`, {
      fix: 'Set `store: full` in its card and in those of its children.',
    })
  }
  const definition = runner.agents().find(({ name }) => name === agent)
  const session = { sessionId: options.sessionId ?? runId, principal }
  const memory = definition?.store === 'none' ? memoryRuns.add(runId, session) : undefined
  const launched = launchRun(
    {
      runId,
      principal,
      observer: run.observer,
      queued: queuedView(runId, run, clock.now()),
      async execute(own) {
        const onEvent: RunListener = (event) => {
          memory?.record(event)
          own.onEvent?.(event)
        }
        try {
          return await accepted.start({ ...own, onEvent })
        } finally {
          memory?.end()
        }
      },
    },
    context,
  )
  return awaitStart(launched, context)
}

/** A run whose id follows from what started it, so that the same cause never starts two runs. */
export interface StartOnceRequest extends StartRunRequest {
  readonly options: StartRunRequest['options'] & { readonly runId: string }
}

/**
 * Starts a run unless this process or the store already has one with its id. Rejects with `store_locked` while
 * another process accepts it.
 */
export function startRunOnce(
  run: StartOnceRequest,
  context: RunServiceContext,
): Promise<StartedRun | RunReport> {
  const { runId } = run.options
  const known = context.starting.get(runId)
  if (known !== undefined) return known
  const starting = startUnlessKnown(run, context).finally(() => context.starting.delete(runId))
  context.starting.set(runId, starting)
  return starting
}

async function startUnlessKnown(
  run: StartOnceRequest,
  context: RunServiceContext,
): Promise<StartedRun | RunReport> {
  const { runId } = run.options
  const known: StartedRun = { runId, state: 'running' }
  if (context.live.has(runId) || (await isStored(runId, context))) return known
  try {
    return await startRun({ ...run, options: { ...run.options, requireNewId: true } }, context)
  } catch (thrown) {
    // another process has accepted it meanwhile
    if (toFailure(thrown).code === 'run_exists') return known
    throw thrown
  }
}

/** Returns true if the run has started or was accepted. */
async function isStored(runId: string, { store }: Pick<RunServiceContext, 'store'>): Promise<boolean> {
  return (await isPersisted(runId, { store })) || (await readRequest(store, runId)) !== undefined
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

/** Options that a repeated run has in addition to those of the run that it repeats. */
export type RetryChanges = Pick<RunOptions, 'overrides' | 'headless' | 'note'>

/**
 * Repeats a run as a new run with the same limits. Rejects with `run_unknown`, or with `run_not_resumable` if
 * its request is not stored.
 */
export async function retryRun(
  ref: RunRef,
  changes: RetryChanges,
  context: RunServiceContext,
): Promise<StartedRun | RunReport> {
  const { runId, principal } = ref
  await findRun(ref, context)
  const request = await readRequest(context.store, runId)
  if (request === undefined)
    throw troupeError('run_not_resumable', `Only the metadata of the run ${runId} is stored.`)
  const { agent, input } = request
  const same = sameOptions(runId, request)
  const options = { ...same, ...changes, note: { ...same.note, ...changes.note } }
  return startRun({ agent: agent.name, input, principal, options }, context)
}

function sameOptions(
  retryOf: string,
  { output, attachments, team, priority, clientInstructions, note }: StoredRunRequest,
): StartRunRequest['options'] {
  const { model, ...overrides } = team ?? {}
  return {
    ...(output === undefined ? {} : { output }),
    ...(attachments === undefined ? {} : { attachments }),
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
    ...(priority === undefined ? {} : { priority }),
    ...(clientInstructions === undefined ? {} : { clientInstructions }),
    ...readLimits(note),
    note: { ...note, retryOf },
  }
}

/**
 * Abort reason that cancels a run for good. With any other reason the run is interrupted and can be resumed.
 */
export const STOP_REQUESTED: Failure = Object.freeze(failure('run_cancelled', 'The run was stopped.'))

/** A run to launch. */
interface RunLaunch extends Pick<LiveRun, 'principal' | 'queued'> {
  readonly runId: string
  readonly observer?: RunObserver | undefined
  /** Starts, resumes or forks the run. */
  execute(
    options: Pick<RunOptions, 'signal' | 'onEvent' | 'deltas' | 'wait' | 'resumable'>,
  ): Promise<RunReport>
}

/** A launched run. */
interface LaunchedRun {
  readonly runId: string
  /** Resolves at the first event. */
  readonly firstEvent: Promise<void>
  readonly done: Promise<RunReport>
}

/** Time in ms after its launch in which a run counts as followed, because clients follow it after the response. */
const JOIN_MS = 2000

/** Executes a run until it ends or is suspended, and publishes its events to its followers. */
export function launchRun(
  { runId, execute, observer, ...known }: RunLaunch,
  { hub, live, clock }: Pick<RunServiceContext, 'hub' | 'live' | 'clock'>,
): LaunchedRun {
  const joinUntil = clock.monotonic() + JOIN_MS
  const stop = new AbortController()
  const firstEvent = Promise.withResolvers<void>()
  const done = execute({
    signal: stop.signal,
    wait: true,
    resumable: (reason) => reason !== STOP_REQUESTED,
    deltas: () => observer !== undefined || hub.isFollowed(runId) || clock.monotonic() < joinUntil,
    onEvent(event) {
      firstEvent.resolve()
      observer?.onEvent(event)
      hub.publish(event)
    },
  }).finally(() => {
    live.delete(runId)
    // A run that never started has emitted nothing, so its followers are still waiting.
    hub.notify(runId)
  })
  if (observer !== undefined)
    done.then(observer.onSettled, (thrown: unknown) => observer.onSettled(toFailure(thrown)))
  // The caller gets the failure from the returned promise.
  live.set(runId, { ...known, stop, done: done.catch(() => undefined) })
  return { runId, firstEvent: firstEvent.promise, done }
}

/** A run that is active, or queued until a slot is free. Its report follows when it has ended. */
export interface StartedRun {
  readonly runId: string
  readonly state: 'running' | 'queued'
}

/** Maximum wait for the first event of a run, in ms. */
const FIRST_EVENT_TIMEOUT_MS = 250

/**
 * Returns the state of a run that was just started, or its report if it ended before anything was persisted.
 */
export async function awaitStart(
  launched: LaunchedRun,
  context: Pick<RunServiceContext, 'clock' | 'store' | 'onError'>,
): Promise<StartedRun | RunReport> {
  const { runId } = launched
  const report = await earlyReport(launched, context)
  if (report?.error?.code === 'run_waiting') return { runId, state: 'running' }
  const isStored = await isPersisted(runId, context)
  if (report !== undefined && !isStored) return report
  return { runId, state: isStored ? 'running' : 'queued' }
}

/**
 * Returns the report if it comes before the first event and the time limit. Later errors are passed to
 * `onError`.
 */
async function earlyReport(
  { firstEvent, done }: LaunchedRun,
  { clock, onError }: Pick<RunServiceContext, 'clock' | 'onError'>,
): Promise<RunReport | undefined> {
  const late = Promise.withResolvers<undefined>()
  const cancel = clock.after(FIRST_EVENT_TIMEOUT_MS, () => late.resolve(undefined))
  try {
    return await Promise.race([done, firstEvent.then(() => undefined), late.promise])
  } finally {
    cancel()
    done.catch((thrown: unknown) => onError?.(thrown))
  }
}
