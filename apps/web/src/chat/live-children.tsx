import { formatDuration } from '@troupe/timeline'
import type { ReactElement } from 'react'
import { useNow } from '../feed/use-now.ts'
import { runState, type RunViewState } from '../reducers/run-view-state.ts'
import { StateBadge } from '../ui/state-badge.tsx'

/** Lists the active child runs with their activity and the end of their output. */
export function LiveChildren({ viewState }: { readonly viewState: RunViewState }): ReactElement | null {
  const now = useNow(true)
  const open = viewState.timeline.runs.filter((run) => run.depth > 0 && run.state !== 'done')
  if (open.length === 0) return null
  return (
    <ul aria-label="Agents at work" className="flex flex-col gap-1 border-l-2 border-accent/40 pl-3">
      {open.map((run) => (
        <li key={run.runId} className="flex min-w-0 items-baseline gap-2 text-small">
          <StateBadge compact state={runState(run, viewState)} />
          <span className="shrink-0 font-medium">{run.instance}</span>
          <span className="truncate text-muted">{run.text === '' ? run.activity : run.text.slice(-160)}</span>
          <span className="ml-auto shrink-0 text-tiny text-muted tabular">
            {formatDuration(Math.max(0, now - run.startedAt))}
          </span>
        </li>
      ))}
    </ul>
  )
}
