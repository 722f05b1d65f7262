import type { ReactElement } from 'react'
import { runsQuery } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import { hrefOf, NO_FILTER } from '../route/route.ts'
import { clockTime } from '../ui/format.ts'
import { Section } from '../ui/section.tsx'
import { StateBadge } from '../ui/state-badge.tsx'

const COUNT = 6

/** Lists the last root runs of an agent. */
export function LastRuns({ agent }: { readonly agent: string }): ReactElement | null {
  const { value } = useRequest(runsQuery({ agent, limit: COUNT }))
  if (value === undefined || value.runs.length === 0) return null
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
        {value.runs.map(({ runId, input, state, startedAt }) => (
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
