import type { TimelineRun } from '@troupe/timeline'
import { GitFork, History, RotateCw, Square } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { retryRun, stopRun } from '../api/run-control.ts'
import { useAction } from '../api/use-action.ts'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { goTo } from '../route/route.ts'
import { Button } from '../ui/button.tsx'
import { ForkDialog } from './fork-dialog.tsx'

/**
 * Shows the actions on a run: stop it until it has ended; fork it or run it again once it has ended or was
 * interrupted.
 */
export function RunActions({
  runId,
  root,
  viewState,
  onReplay,
}: {
  readonly runId: string
  readonly root: TimelineRun
  readonly viewState: RunViewState
  /** `undefined` while the run is being replayed. */
  readonly onReplay: (() => void) | undefined
}): ReactElement {
  const stop = useAction(() => stopRun(runId))
  const retry = useAction(
    () => retryRun(runId),
    (started) => goTo({ page: 'run', runId: started.runId }),
  )
  const [isForking, setForking] = useState(false)
  const failure = stop.failure ?? retry.failure
  const isOver = root.state === 'done'
  const isInterrupted = viewState.interruptedAt !== undefined
  return (
    <div className="flex flex-wrap items-center gap-2">
      {failure === undefined ? null : (
        <span role="alert" className="max-w-64 truncate text-small text-bad" title={failure.message}>
          {failure.message}
        </span>
      )}
      {isOver ? (
        <Button disabled={onReplay === undefined} onClick={onReplay}>
          <History aria-hidden="true" className="size-3.5" /> Replay
        </Button>
      ) : null}
      {isOver || isInterrupted ? (
        <>
          <Button onClick={() => setForking(true)}>
            <GitFork aria-hidden="true" className="size-3.5" /> Fork
          </Button>
          <Button disabled={retry.isBusy} onClick={() => retry.run()}>
            <RotateCw aria-hidden="true" className="size-3.5" /> Run again
          </Button>
          {isForking ? (
            <ForkDialog runId={runId} viewState={viewState} onClose={() => setForking(false)} />
          ) : null}
        </>
      ) : null}
      {isOver ? null : (
        <Button
          tone="danger"
          disabled={stop.isBusy}
          onClick={() => stop.run()}
          {...(isInterrupted ? { title: 'Ends the run for good: it cannot be resumed after that.' } : {})}
        >
          <Square aria-hidden="true" className="size-3 fill-current" /> Stop
        </Button>
      )}
    </div>
  )
}
