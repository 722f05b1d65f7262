import { formatDuration } from '@troupe/timeline'
import { useState, type ReactElement } from 'react'
import { useNow } from '../feed/use-now.ts'
import { useRunFeed } from '../feed/use-run-feed.ts'
import { rootOf } from '../folds/picture.ts'
import { usageOf } from '../folds/usage-of.ts'
import { clockTime } from '../format/clock-time.ts'
import { costText, tokensText } from '../format/cost.ts'
import { runState } from '../format/shown-state.ts'
import { Inspector } from '../timeline/inspector.tsx'
import { WaterfallView } from '../timeline/waterfall-view.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { LinkNote } from './link-note.tsx'
import { RunActions } from './run-actions.tsx'
import { RunApprovals } from './run-approvals.tsx'

/** One run with all below it, live or as it was kept: the waterfall, and what is selected in it. */
export function RunPage({ runId }: { readonly runId: string }): ReactElement {
  const { picture, link } = useRunFeed(runId)
  const root = rootOf(picture)
  const isLive = link !== 'over'
  const now = useNow(isLive)
  const [chosen, setChosen] = useState<string>()
  const selected = chosen ?? root?.runId
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHead title={root?.agent ?? 'Run'} trail={<a href="#/runs">Runs</a>}>
        {root === undefined ? null : <StateBadge state={runState(root)} />}
        {root === undefined ? null : <RunActions runId={runId} root={root} />}
      </PageHead>
      <LinkNote link={link} isEmpty={root === undefined} runId={runId} />
      {root === undefined ? null : (
        <>
          <Summary
            values={[
              clockTime(root.startedAt, now),
              formatDuration(root.durationMs ?? Math.max(0, now - root.startedAt)),
              `${picture.timeline.runs.length} ${picture.timeline.runs.length === 1 ? 'run' : 'runs'}`,
              `${tokensText(usageOf(picture))} tokens`,
              costText(usageOf(picture)),
            ]}
          />
          <RunApprovals picture={picture} rootRunId={runId} />
          <div className="grid min-h-0 grow grid-rows-[auto_auto] overflow-auto lg:grid-cols-[minmax(0,1fr)_minmax(22rem,30%)] lg:grid-rows-1 lg:overflow-hidden">
            <div className="min-w-0 lg:overflow-auto">
              <WaterfallView picture={picture} now={now} selected={selected} onSelect={setChosen} />
            </div>
            <div className="flex min-h-0 min-w-0 flex-col border-t border-line bg-panel lg:border-t-0 lg:border-l">
              {selected === undefined ? null : (
                <Inspector picture={picture} selected={selected} onSelect={setChosen} />
              )}
            </div>
          </div>
        </>
      )}
    </div>
  )
}

function Summary({ values }: { readonly values: readonly string[] }): ReactElement {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-0.5 border-b border-line px-4 py-2 text-small text-muted tabular sm:px-6">
      {values.map((value) => (
        <span key={value}>{value}</span>
      ))}
    </p>
  )
}
