import type { AgentProblem, Agent } from '@troupe/client'
import { TriangleAlert } from 'lucide-react'
import type { ReactElement } from 'react'
import { hrefOf } from '../route/route.ts'
import { PageHead } from '../ui/page-head.tsx'
import { AgentGraph } from './agent-graph.tsx'
import { ScheduleList } from './schedule-list.tsx'

/** Shows the team: the graph of calls, a list of the agents, and the schedules. */
export function AgentsPage({ agents }: { readonly agents: readonly Agent[] }): ReactElement {
  return (
    <>
      <PageHead title="Agents" />
      <div className="flex flex-col gap-6 p-4 sm:p-6">
        <AgentGraph agents={agents} />
        <ul className="flex flex-col overflow-hidden rounded-lg border border-line bg-panel">
          {agents.map((agent) => (
            <li key={agent.name} className="border-b border-line/60 last:border-b-0">
              <a
                href={hrefOf({ page: 'agent', agent: agent.name })}
                className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2.5 -outline-offset-2 hover:bg-raised/70"
              >
                <span className="text-small font-semibold">{agent.name}</span>
                {agent.entry ? <span className="text-tiny text-accent">entry</span> : null}
                <span className="min-w-40 grow basis-0 truncate text-small text-muted">
                  {agent.description ?? ''}
                </span>
                <ProblemCount problems={agent.problems} />
                <span className="text-tiny text-muted tabular">{toolsText(agent)}</span>
              </a>
            </li>
          ))}
        </ul>
        <ScheduleList />
      </div>
    </>
  )
}

function toolsText({ tools, servers }: Agent): string {
  const parts = [
    tools.length === 0 ? '' : `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`,
    servers.length === 0 ? '' : servers.join(', '),
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'no tools' : parts.join(', ')
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
