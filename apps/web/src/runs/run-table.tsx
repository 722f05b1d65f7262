import type { RunSummary } from '@troupe/headends'
import { formatCost, formatDuration } from '@troupe/timeline'
import type { ReactElement } from 'react'
import { useNow } from '../feed/use-now.ts'
import { goTo, hrefOf } from '../route/route.ts'
import { clockTime } from '../ui/format.ts'
import { StateBadge } from '../ui/state-badge.tsx'

/** Lists runs in a table. Each row links to the timeline of its run. */
export function RunTable({ runs }: { readonly runs: readonly RunSummary[] }): ReactElement {
  const now = useNow(runs.some(({ state }) => state === 'running'))
  return (
    <table className="w-full table-fixed text-left text-small">
      <thead className="sticky top-0 bg-page text-tiny text-muted max-md:sr-only">
        <tr className="border-b border-line">
          <th className="w-36 py-2 pl-6 font-medium">State</th>
          <th className="w-48 py-2 pr-3 font-medium">Agent</th>
          <th className="py-2 pr-3 font-medium">Input</th>
          <th className="w-28 py-2 pr-3 text-right font-medium">Started</th>
          <th className="w-24 py-2 pr-3 text-right font-medium">Time</th>
          <th className="w-24 py-2 pr-6 text-right font-medium">Cost</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr
            key={run.runId}
            onClick={() => goTo({ page: 'run', runId: run.runId })}
            className="cursor-pointer border-b border-line/60 hover:bg-raised/70 max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-3 max-md:px-4 max-md:py-2"
          >
            <td className="py-2 pl-6 max-md:order-2 max-md:p-0">
              <StateBadge state={run.state} />
            </td>
            <td className="truncate py-2 pr-3 font-medium max-md:order-1 max-md:p-0">
              <a href={hrefOf({ page: 'run', runId: run.runId })} className="rounded-sm hover:text-accent">
                {run.agent}
              </a>
            </td>
            <td className="truncate py-2 pr-3 text-muted max-md:order-3 max-md:col-span-2 max-md:p-0">
              {run.input === '' ? '–' : run.input}
            </td>
            <td className="py-2 pr-3 text-right text-muted tabular max-md:order-4 max-md:p-0 max-md:text-left">
              {clockTime(run.startedAt, now)}
            </td>
            <td className="py-2 pr-3 text-right tabular max-md:order-5 max-md:p-0">
              {formatDuration(run.durationMs ?? Math.max(0, now - run.startedAt))}
            </td>
            <td className="py-2 pr-6 text-right text-muted tabular max-md:hidden">
              {run.cost === undefined ? '' : run.cost === null ? '–' : formatCost(run.cost)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
