import { useState, type ReactElement } from 'react'
import { useNow } from '../feed/use-now.ts'
import { useRun } from '../feed/use-run.ts'
import { rootOf, runState } from '../reducers/run-view-state.ts'
import { PageHead } from '../ui/page-head.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { InterruptedNote } from './interrupted-note.tsx'
import { LinkNote } from './link-note.tsx'
import { ReplayView } from './replay-view.tsx'
import { RunActions } from './run-actions.tsx'
import { RunApprovals } from './run-approvals.tsx'
import { RunOrigin } from './run-origin.tsx'
import { RunTree } from './run-tree.tsx'

/** Shows a run with its child runs, live or from the store: the waterfall and the selected row. */
export function RunPage({ runId }: { readonly runId: string }): ReactElement {
  const { viewState, link, details } = useRun(runId, { needsDetails: true })
  const root = rootOf(viewState)
  const isInterrupted = viewState.interruptedAt !== undefined
  const now = useNow(link !== 'over' && !isInterrupted)
  const [isReplayed, setReplayed] = useState(false)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHead title={root?.agent ?? 'Run'} trail={<a href="#/runs">Runs</a>}>
        {root === undefined ? null : (
          <StateBadge state={isInterrupted ? 'interrupted' : runState(root, viewState)} />
        )}
        {root === undefined ? null : (
          <RunActions
            runId={runId}
            root={root}
            viewState={viewState}
            onReplay={isReplayed ? undefined : () => setReplayed(true)}
          />
        )}
      </PageHead>
      <LinkNote link={link} isEmpty={root === undefined} runId={runId} />
      {isInterrupted && details !== undefined ? (
        <InterruptedNote details={details} className="mx-4 my-3 sm:mx-6" />
      ) : null}
      {root === undefined ? null : (
        <RunOrigin details={details} viewState={viewState} isOver={link === 'over'} />
      )}
      {root === undefined ? null : <RunApprovals viewState={viewState} rootRunId={runId} />}
      {root === undefined || isReplayed ? null : <RunTree viewState={viewState} root={root} now={now} />}
      {isReplayed ? <ReplayView viewState={viewState} onClose={() => setReplayed(false)} /> : null}
    </div>
  )
}
