import { failure, type Failure, type RunOptions, type RunReport } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import type { LiveRun } from './live-run.ts'

/**
 * Abort reason that cancels a run for good. With any other reason the run is interrupted and can be resumed.
 */
export const STOP_REQUESTED: Failure = Object.freeze(failure('run_cancelled', 'The run was stopped.'))

/** A run to launch. */
export interface RunToWork extends Pick<LiveRun, 'principal' | 'queued'> {
  readonly runId: string
  /** Starts, resumes or forks the run. */
  begin(options: Pick<RunOptions, 'signal' | 'onEvent' | 'wait' | 'resumable'>): Promise<RunReport>
}

/** A launched run. */
export interface WorkingRun {
  readonly runId: string
  /** Resolves at the first event. */
  readonly news: Promise<void>
  readonly done: Promise<RunReport>
}

/** Executes a run until it ends or is suspended, and publishes its events to its followers. */
export function putToWork(
  { runId, begin, ...known }: RunToWork,
  { hub, live }: Pick<DeskContext, 'hub' | 'live'>,
): WorkingRun {
  const stop = new AbortController()
  const news = Promise.withResolvers<void>()
  const done = begin({
    signal: stop.signal,
    wait: true,
    resumable: (reason) => reason !== STOP_REQUESTED,
    onEvent(event) {
      news.resolve()
      hub.tell(event)
    },
  }).finally(() => {
    live.delete(runId)
    // A run that never started has emitted nothing, so its followers are still waiting.
    hub.left(runId)
  })
  // The caller gets the failure from the returned promise.
  live.set(runId, { ...known, stop, done: done.catch(() => undefined) })
  return { runId, news: news.promise, done }
}
