import type { AgentStats } from '@troupe/client'
import { formatCost, formatDuration } from '@troupe/timeline'
import type { ReactElement } from 'react'
import { hrefOf } from '../route/route.ts'
import { classNames } from '../ui/class-names.ts'
import { clockTime } from '../ui/format.ts'
import { failureShare } from './team-figures.ts'

/** Shows the times, the cost and the failures of an agent in one line. */
export function AgentFigures({ stats }: { readonly stats: AgentStats | undefined }): ReactElement {
  if (stats === undefined) return <span className="text-tiny text-muted">no runs yet</span>
  const failed = failureShare(stats)
  return (
    <span className="flex gap-1.5 truncate text-tiny tabular">
      <span title="Median and 95th percentile of the active time">
        {formatDuration(stats.p50Ms)}
        <span className="text-muted"> / {formatDuration(stats.p95Ms)}</span>
      </span>
      <span title="Mean cost of a run, without the agents it calls">
        {stats.meanCost === null ? '–' : formatCost(stats.meanCost)}
      </span>
      {failed === '' ? null : <span className="text-bad">{failed} failed</span>}
    </span>
  )
}

const CHART_HEIGHT = 48

/** Shows the times of the newest runs of an agent as bars, each a link to its run. Failed runs are red. */
export function RecentRuns({ stats }: { readonly stats: AgentStats }): ReactElement {
  const longest = Math.max(1, ...stats.recent.map(({ ms }) => ms))
  return (
    <ul aria-label="Newest runs" className="flex items-end gap-0.5" style={{ height: CHART_HEIGHT }}>
      {stats.recent.map(({ rootRunId, time, ms, cost, hasFailed }, index) => {
        const text = `${clockTime(time, Date.now())}: ${formatDuration(ms)}, ${cost === null ? 'cost unknown' : formatCost(cost)}${hasFailed ? ', failed' : ''}`
        return (
          <li key={index} className="flex h-full min-w-1 max-w-4 grow items-end">
            <a
              href={hrefOf({ page: 'run', runId: rootRunId })}
              title={text}
              aria-label={text}
              className="group flex h-full w-full items-end"
            >
              <span
                className={classNames(
                  'w-full rounded-t-sm group-hover:brightness-110',
                  hasFailed ? 'bg-bad' : 'bg-accent',
                )}
                style={{ height: Math.max(2, Math.round((ms / longest) * CHART_HEIGHT)) }}
              />
            </a>
          </li>
        )
      })}
    </ul>
  )
}
