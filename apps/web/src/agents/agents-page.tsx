import type { AgentProblem, Agent } from '@troupe/client'
import { TriangleAlert } from 'lucide-react'
import { useMemo, useState, type ReactElement } from 'react'
import { runsQuery, TEAM_STATS } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import { hrefOf } from '../route/route.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Section } from '../ui/section.tsx'
import { AgentFigures } from './agent-figures.tsx'
import { AgentGraph } from './agent-graph.tsx'
import { splitTeam } from './graph-layout.ts'
import { HeatChoice } from './heat-choice.tsx'
import { ScheduleList } from './schedule-list.tsx'
import { teamFigures, toolsText, type HeatBy } from './team-figures.ts'

const STATS_MS = 30_000
const ACTIVE_MS = 3000

/** Shows the team: the graph of calls with figures, the agents without calls, and the schedules. */
export function AgentsPage({ agents }: { readonly agents: readonly Agent[] }): ReactElement {
  const { value: stats } = useRequest(TEAM_STATS, { everyMs: STATS_MS })
  const { value: open } = useRequest(OPEN_RUNS, { everyMs: ACTIVE_MS })
  const [heatBy, setHeatBy] = useState<HeatBy>('none')
  const { linked, single } = useMemo(() => splitTeam(agents), [agents])
  const figures = useMemo(() => teamFigures(stats), [stats])
  const active = new Set(open?.runs.map(({ agent }) => agent))
  return (
    <>
      <PageHead title="Agents" />
      <div className="flex flex-col gap-6 p-4 sm:p-6">
        {linked.length === 0 ? null : (
          <div className="flex flex-col gap-3">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
              <HeatChoice value={heatBy} onChange={setHeatBy} />
              <p className="text-tiny text-muted tabular">
                {stats === undefined ? '…' : runsText(stats.rootRuns)}
                {stats?.isPartial === true ? ', without some long ones' : ''}
              </p>
            </div>
            <AgentGraph agents={linked} figures={figures} heatBy={heatBy} active={active} />
          </div>
        )}
        {single.length === 0 ? null : (
          <Section title={linked.length === 0 ? 'Agents' : 'Agents without calls'}>
            <SingleAgents agents={single} active={active} figures={figures} />
          </Section>
        )}
        <ScheduleList />
      </div>
    </>
  )
}

const OPEN_RUNS = runsQuery({ state: 'queued,running,waiting', limit: 100 })

function runsText(count: number): string {
  if (count === 0) return 'Figures appear after the first run.'
  return count === 1 ? 'Figures from one run' : `Figures from the last ${count} runs`
}

/** Lists the agents that neither call others nor are called. */
function SingleAgents({
  agents,
  active,
  figures,
}: {
  readonly agents: readonly Agent[]
  readonly active: ReadonlySet<string>
  readonly figures: ReturnType<typeof teamFigures>
}): ReactElement {
  return (
    <ul className="flex flex-col overflow-hidden rounded-lg border border-line bg-panel">
      {agents.map((agent) => (
        <li key={agent.name} className="border-b border-line/60 last:border-b-0">
          <a
            href={hrefOf({ page: 'agent', agent: agent.name })}
            className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2.5 -outline-offset-2 hover:bg-raised/70"
          >
            <span className="text-small font-semibold">{agent.name}</span>
            {active.has(agent.name) ? <span className="text-tiny text-good">running</span> : null}
            {agent.entry ? <span className="text-tiny text-accent">entry</span> : null}
            <span className="min-w-40 grow basis-0 truncate text-small text-muted" dir="auto">
              {agent.description ?? ''}
            </span>
            <ProblemCount problems={agent.problems} />
            <span className="text-tiny text-muted tabular">{toolsText(agent)}</span>
            <AgentFigures stats={figures.agent(agent.name)} />
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Shows the number of problems, marked as errors if one is an error; nothing if there are none. */
function ProblemCount({ problems }: { readonly problems: readonly AgentProblem[] }): ReactElement | null {
  if (problems.length === 0) return null
  const hasErrors = problems.some(({ severity }) => severity === 'error')
  return (
    <span className={`flex items-center gap-1 text-tiny font-medium ${hasErrors ? 'text-bad' : 'text-warn'}`}>
      <TriangleAlert aria-hidden="true" className="size-3.5" />
      {problems.length} {problems.length === 1 ? 'problem' : 'problems'}
    </span>
  )
}
