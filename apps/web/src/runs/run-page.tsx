import type { Run } from '@troupe/client'
import type { TimelineRun } from '@troupe/timeline'
import { ArrowLeftRight, Download, GitFork, History, RotateCw, Square } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { useIsForYou } from '../api/answerable.ts'
import { client } from '../api/client.ts'
import { useAction } from '../api/use-request.ts'
import { RunApprovals } from '../approvals/run-approvals.tsx'
import { useRun } from '../feed/use-run.ts'
import { rootOf, runState, type RunViewState } from '../reducers/run-view-state.ts'
import { goTo } from '../route/route.ts'
import { Button, buttonClasses } from '../ui/button.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { CompareDialog } from './compare-dialog.tsx'
import { ForkDialog } from './fork-dialog.tsx'
import { LabelButtons } from './label-buttons.tsx'
import { ReplayView } from './replay-view.tsx'
import { InterruptedNote, LinkNote } from './run-notes.tsx'
import { RunOrigin } from './run-origin.tsx'
import { RunTree, useTreeChoices } from './run-tree.tsx'

/** Shows a run with its child runs, live or from the store: the waterfall and the selected row. */
export function RunPage({ runId }: { readonly runId: string }): ReactElement {
  const { viewState, link, details, areDetailsSettled } = useRun(runId, { needsDetails: true })
  // The origin and the actions of a run are above its timeline, which would be moved if they came later.
  const root = areDetailsSettled ? rootOf(viewState) : undefined
  const isInterrupted = viewState.interruptedAt !== undefined
  const open = viewState.timeline.runs.flatMap(({ approvals }) => approvals)
  const isForYou = useIsForYou()
  const [isReplayed, setReplayed] = useState(false)
  const choices = useTreeChoices()
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHead title={root?.agent ?? 'Run'} trail={<a href="#/runs">Runs</a>}>
        {root === undefined ? null : (
          <StateBadge
            state={isInterrupted ? 'interrupted' : open.length > 0 ? 'waiting' : runState(root, viewState)}
            isForYou={isForYou(open)}
          />
        )}
        {root === undefined ? null : (
          <RunActions
            runId={runId}
            root={root}
            viewState={viewState}
            details={details}
            onReplay={isReplayed ? undefined : () => setReplayed(true)}
          />
        )}
      </PageHead>
      <LinkNote link={link} isEmpty={rootOf(viewState) === undefined} runId={runId} />
      {isInterrupted && details !== undefined ? (
        <InterruptedNote details={details} className="mx-4 my-3 sm:mx-6" />
      ) : null}
      {root === undefined ? null : (
        <RunOrigin details={details} viewState={viewState} isOver={link === 'over'} />
      )}
      {root === undefined ? null : <RunApprovals viewState={viewState} rootRunId={runId} />}
      {root === undefined || isReplayed ? null : (
        <RunTree viewState={viewState} root={root} choices={choices} />
      )}
      {isReplayed ? (
        <ReplayView viewState={viewState} choices={choices} onClose={() => setReplayed(false)} />
      ) : null}
    </div>
  )
}

/**
 * Shows the actions on a run: stop it until it has ended; fork it or run it again once it has ended or was
 * interrupted.
 */
function RunActions({
  runId,
  root,
  viewState,
  details,
  onReplay,
}: {
  readonly runId: string
  readonly root: TimelineRun
  readonly viewState: RunViewState
  /** `undefined` until the server has responded. */
  readonly details: Run | undefined
  /** `undefined` while the run is being replayed. */
  readonly onReplay: (() => void) | undefined
}): ReactElement {
  const stop = useAction(() => client.cancel(runId))
  const retry = useAction(
    () => client.runs.retry(runId),
    (started) => goTo({ page: 'run', runId: started.runId }),
  )
  const [isForking, setForking] = useState(false)
  const [isComparing, setComparing] = useState(false)
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
      {isOver && details !== undefined ? <LabelButtons runId={runId} label={details.label} /> : null}
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
          <a href={`api/runs/${encodeURIComponent(runId)}/export`} download className={buttonClasses()}>
            <Download aria-hidden="true" className="size-3.5" /> Export
          </a>
          <Button onClick={() => setComparing(true)}>
            <ArrowLeftRight aria-hidden="true" className="size-3.5" /> Compare with…
          </Button>
          {isComparing ? (
            <CompareDialog
              runId={runId}
              agent={root.agent}
              details={details}
              onClose={() => setComparing(false)}
            />
          ) : null}
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
          {...(isInterrupted ? { title: 'Ends the run permanently. It cannot be resumed afterwards.' } : {})}
        >
          <Square aria-hidden="true" className="size-3 fill-current" /> Stop
        </Button>
      )}
    </div>
  )
}
