import { failure, type Failure, type RunOptions, type RunReport } from '@troupe/schema'
import { isPersisted } from './find-run.ts'
import type { RunServiceContext, LiveRun } from './run-service-context.ts'

/**
 * Abort reason that cancels a run for good. With any other reason the run is interrupted and can be resumed.
 */
export const STOP_REQUESTED: Failure = Object.freeze(failure('run_cancelled', 'The run was stopped.'))

/** A run to launch. */
interface RunLaunch extends Pick<LiveRun, 'principal' | 'queued'> {
  readonly runId: string
  /** Starts, resumes or forks the run. */
  execute(options: Pick<RunOptions, 'signal' | 'onEvent' | 'wait' | 'resumable'>): Promise<RunReport>
}

/** A launched run. */
interface LaunchedRun {
  readonly runId: string
  /** Resolves at the first event. */
  readonly firstEvent: Promise<void>
  readonly done: Promise<RunReport>
}

/** Executes a run until it ends or is suspended, and publishes its events to its followers. */
export function launchRun(
  { runId, execute, ...known }: RunLaunch,
  { hub, live }: Pick<RunServiceContext, 'hub' | 'live'>,
): LaunchedRun {
  const stop = new AbortController()
  const firstEvent = Promise.withResolvers<void>()
  const done = execute({
    signal: stop.signal,
    wait: true,
    resumable: (reason) => reason !== STOP_REQUESTED,
    onEvent(event) {
      firstEvent.resolve()
      hub.publish(event)
    },
  }).finally(() => {
    live.delete(runId)
    // A run that never started has emitted nothing, so its followers are still waiting.
    hub.notify(runId)
  })
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
