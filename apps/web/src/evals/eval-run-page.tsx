import type { ReactElement } from 'react'
import { useRunFeed } from '../feed/use-run.ts'
import { rootOf, runState } from '../reducers/run-view-state.ts'
import { evalRunId } from '../route/eval-run-ref.ts'
import { hrefOf } from '../route/route.ts'
import { RunTree, useTreeChoices } from '../runs/run-tree.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { StateBadge } from '../ui/state-badge.tsx'

/** Shows the timeline of a run of a report. */
export function EvalRunPage({ id, runId }: { readonly id: string; readonly runId: string }): ReactElement {
  const { viewState, link } = useRunFeed(evalRunId({ reportId: id, runId }))
  const root = rootOf(viewState)
  const choices = useTreeChoices()
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHead
        title={root === undefined ? 'Run' : root.agent}
        trail={<a href={hrefOf({ page: 'eval', id })}>Report</a>}
      >
        {root === undefined ? null : <StateBadge state={runState(root, viewState)} />}
      </PageHead>
      {link === 'unknown' ? (
        <Notice tone="bad" className="m-4 sm:mx-6">
          The report has no events of this run.
        </Notice>
      ) : null}
      {root === undefined ? null : <RunTree viewState={viewState} root={root} choices={choices} />}
    </div>
  )
}
