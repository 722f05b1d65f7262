import { failure, type Failure, type RunOptions, type RunReport } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import type { LiveRun } from './live-run.ts'

/** Aborts a run for good. With any other reason it is interrupted, and can be resumed. */
export const STOP_REQUESTED: Failure = Object.freeze(failure('run_cancelled', 'The run was stopped.'))

/** A run that is to be at work. */
export interface RunToWork extends Pick<LiveRun, 'principal' | 'queued'> {
  readonly runId: string
  /** Starts it, goes on with it, or forks it. */
  begin(options: Pick<RunOptions, 'signal' | 'onEvent' | 'wait' | 'resumable'>): Promise<RunReport>
}

/** What comes of a run that was set to work. */
export interface WorkingRun {
  readonly runId: string
  /** Something of it was told. */
  readonly news: Promise<void>
  readonly done: Promise<RunReport>
}

/** Runs something of this id until it ends or is left, and tells those who watch. */
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
    // nothing is told of a run that has not begun, and its followers wait
    hub.left(runId)
  })
  // who began it is told what it was refused for
  live.set(runId, { ...known, stop, done: done.catch(() => undefined) })
  return { runId, news: news.promise, done }
}
