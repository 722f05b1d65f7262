import type { RunPage, RunSummary } from '@troupe/client'
import type { ReactElement } from 'react'
import { runsQuery, type ApiQuery } from '../api/queries.ts'
import { hrefOf, NO_FILTER } from '../route/route.ts'
import { clockTime } from '../ui/format.ts'
import { Section } from '../ui/section.tsx'
import { StateBadge } from '../ui/state-badge.tsx'

const COUNT = 6

/** Returns the query of the last root runs of an agent. */
export function lastRunsQuery(agent: string): ApiQuery<RunPage> {
  return runsQuery({ agent, limit: COUNT })
}

/** Lists the last root runs of an agent. */
export function LastRuns({
  agent,
  runs,
}: {
  readonly agent: string
  readonly runs: readonly RunSummary[]
}): ReactElement | null {
  if (runs.length === 0) return null
  return (
    <Section
      title="Last runs"
      action={
        <a
          href={hrefOf({ page: 'runs', filter: { ...NO_FILTER, agent } })}
          className="text-small text-accent hover:underline"
        >
          All runs
        </a>
      }
    >
      <ul className="flex flex-col">
        {runs.map(({ runId, input, state, startedAt }) => (
          <li key={runId}>
            <a
              href={hrefOf({ page: 'run', runId })}
              className="flex min-h-8 items-center gap-3 rounded-md px-2 text-small hover:bg-raised pointer-coarse:min-h-11"
            >
              <StateBadge state={state} compact />
              <span className="min-w-0 grow truncate" dir="auto">
                {input === '' ? runId : input}
              </span>
              <span className="shrink-0 text-tiny text-muted tabular">
                {clockTime(startedAt, Date.now())}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  )
}
