import { failure, type Failure, type RunOptions, type RunReport } from '@troupe/schema'
import type { RunServiceContext } from './run-service-context.ts'
import type { LiveRun } from './live-run.ts'

/**
 * Abort reason that cancels a run for good. With any other reason the run is interrupted and can be resumed.
 */
export const STOP_REQUESTED: Failure = Object.freeze(failure('run_cancelled', 'The run was stopped.'))

/** A run to launch. */
export interface RunLaunch extends Pick<LiveRun, 'principal' | 'queued'> {
  readonly runId: string
  /** Starts, resumes or forks the run. */
  execute(options: Pick<RunOptions, 'signal' | 'onEvent' | 'wait' | 'resumable'>): Promise<RunReport>
}

/** A launched run. */
export interface LaunchedRun {
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
