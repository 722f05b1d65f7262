import type { AgentVariable, Agent, ServedTool } from '@troupe/client'
import { formatCost, formatDuration, formatTokens } from '@troupe/timeline'
import { Hammer, MessageSquare, Pencil } from 'lucide-react'
import { useMemo, type ReactElement, type ReactNode } from 'react'
import { cardQuery, TEAM_STATS, templateQuery } from '../api/queries.ts'
import { isSettled, useRequest } from '../api/use-request.ts'
import { hrefOf } from '../route/route.ts'
import { buttonClasses, CopyButton } from '../ui/button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Notice, TickedText } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Facts, Section } from '../ui/section.tsx'
import { RecentRuns } from './agent-figures.tsx'
import { AgentGraph } from './agent-graph.tsx'
import { AgentPrompt } from './agent-prompt.tsx'
import { LastRuns, lastRunsQuery } from './last-runs.tsx'
import { failureShare, teamFigures } from './team-figures.ts'

const PERMISSIONS = {
  allow: ['runs', 'text-good'],
  ask: ['asks you', 'text-warn'],
  deny: ['refused', 'text-bad'],
} as const

/** Shows one agent: its plan, requirements, permissions, and its card as a template to copy. */
export function AgentPage({
  agent,
  agents,
}: {
  readonly agent: Agent
  readonly agents: readonly Agent[]
}): ReactElement {
  const templateRequest = useRequest(templateQuery(agent.name))
  const statsRequest = useRequest(TEAM_STATS)
  const cardRequest = useRequest(cardQuery(agent.name))
  const runsRequest = useRequest(lastRunsQuery(agent.name))
  const isReady = [templateRequest, statsRequest, cardRequest, runsRequest].every(isSettled)
  const { value: template } = templateRequest
  const { value: stats } = statsRequest
  const figures = useMemo(() => teamFigures(stats), [stats])
  const team = useMemo(() => teamOf(agent, agents), [agent, agents])
  const own = figures.agent(agent.name)
  const { worstCase } = agent
  return (
    <>
      <PageHead title={agent.name} trail={<a href="#/agents">Agents</a>}>
        <a href={hrefOf({ page: 'card', agent: agent.name })} className={buttonClasses()}>
          <Pencil aria-hidden="true" className="size-3.5" /> Edit card
        </a>
        {agent.mode === 'tools' ? (
          <a href={hrefOf({ page: 'tools', agent: agent.name })} className={buttonClasses()}>
            <Hammer aria-hidden="true" className="size-3.5" /> Tools
          </a>
        ) : null}
        <a href={hrefOf({ page: 'chat', agent: agent.name })} className={buttonClasses('solid')}>
          <MessageSquare aria-hidden="true" className="size-3.5" /> Try this agent
        </a>
      </PageHead>
      {isReady ? (
        <div className="grid gap-x-10 gap-y-8 p-4 sm:p-6 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="flex min-w-0 flex-col gap-8">
            {agent.description === undefined ? null : <p className="max-w-prose">{agent.description}</p>}
            {agent.problems.map((problem, index) => (
              <Notice key={index} tone={problem.severity === 'error' ? 'bad' : 'warn'}>
                <p className="font-medium">
                  <TickedText text={problem.message} />
                </p>
                {problem.fix === undefined ? null : (
                  <p className="mt-0.5 text-ink">
                    <TickedText text={problem.fix} />
                  </p>
                )}
                <p className="mt-0.5 font-mono text-tiny">
                  {[problem.file, problem.line, problem.column]
                    .filter((part) => part !== undefined)
                    .join(':')}{' '}
                  {problem.code}
                </p>
              </Notice>
            ))}
            <AgentPrompt card={cardRequest.value} />
            <Section title="Who calls whom">
              <AgentGraph agents={team} figures={figures} selected={agent.name} />
            </Section>
            <Section title="Tools">
              <ToolTable agent={agent} />
            </Section>
            <Section title="Environment">
              <NeededEnvironment env={agent.env} />
            </Section>
          </div>
          <div className="flex min-w-0 flex-col gap-8">
            <Section title="Figures">
              {own === undefined ? (
                <p className="text-small text-muted">Figures appear after the first run.</p>
              ) : (
                <>
                  <RecentRuns stats={own} />
                  <Facts
                    facts={{
                      Runs: own.runs,
                      'Median time': formatDuration(own.p50Ms),
                      '95th percentile': formatDuration(own.p95Ms),
                      'Mean cost': own.meanCost === null ? 'unknown price' : formatCost(own.meanCost),
                      Failed: own.failures === 0 ? 'none' : `${own.failures} (${failureShare(own)})`,
                    }}
                  />
                </>
              )}
            </Section>
            <LastRuns agent={agent.name} runs={runsRequest.value?.runs ?? []} />
            <Section title="Plan">
              <Facts
                facts={{
                  Models: agent.models.length === 0 ? 'none' : <Mono>{agent.models.join(' → ')}</Mono>,
                  Mode: agent.mode,
                  Type: agent.type,
                  Version: agent.version,
                  Usage: agent.usage,
                  'Maximum runs': worstCase.runs,
                  'Maximum model calls': worstCase.modelCalls,
                  'Maximum tool calls': worstCase.toolCalls,
                  'Maximum tokens':
                    worstCase.tokens === undefined ? 'no cap' : formatTokens(worstCase.tokens),
                  'Maximum cost': worstCase.cost === undefined ? 'no cap' : formatCost(worstCase.cost),
                  'Maximum duration':
                    worstCase.durationMs === undefined ? 'no cap' : formatDuration(worstCase.durationMs),
                }}
              />
            </Section>
            {template === undefined ? null : (
              <Section title="Card template" action={<CopyButton text={template} label="Copy template" />}>
                <pre
                  tabIndex={0}
                  aria-label="Card template"
                  className="max-h-112 overflow-auto rounded-md border border-line bg-panel p-3 font-mono text-tiny leading-relaxed"
                >
                  {template}
                </pre>
              </Section>
            )}
            <Section title="Input, output and limits">
              <JsonView name="input" value={agent.input ?? null} open={0} />
              <JsonView name="output" value={agent.output ?? null} open={0} />
              <JsonView name="limits" value={agent.limits} open={0} />
            </Section>
          </div>
        </div>
      ) : null}
    </>
  )
}

function Mono({ children }: { readonly children: ReactNode }): ReactElement {
  return <span className="font-mono text-tiny">{children}</span>
}

/** Returns the agent with its callers and all agents that it can reach. */
function teamOf(agent: Agent, agents: readonly Agent[]): readonly Agent[] {
  const within = new Set([agent.name])
  for (let size = 0; size !== within.size;) {
    size = within.size
    for (const { name, children } of agents)
      if (within.has(name)) for (const child of children) within.add(child)
  }
  const callers = agents.filter(({ children }) => children.includes(agent.name))
  for (const { name } of callers) within.add(name)
  return agents
    .filter(({ name }) => within.has(name))
    .map((member) => ({ ...member, children: member.children.filter((child) => within.has(child)) }))
}

/**
 * Shows the variables that an agent needs: their use, whether they are set and, for the operator, the origin
 * of each value. Values are never sent.
 */
function NeededEnvironment({ env }: { readonly env: readonly AgentVariable[] }): ReactElement {
  if (env.length === 0) return <p className="text-small text-muted">It does not need any variables.</p>
  return (
    <ul className="flex flex-col gap-1.5 text-small">
      {env.map(({ name, neededFor, isSet, origin }) => (
        <li key={name} className="flex flex-wrap items-baseline gap-x-3">
          <code className="font-mono font-medium">{name}</code>
          <span className="text-muted">
            for <TickedText text={neededFor} />
          </span>
          <span className={isSet ? 'text-good' : 'font-medium text-bad'}>{stateText(isSet, origin)}</span>
        </li>
      ))}
    </ul>
  )
}

function stateText(isSet: boolean, origin: string | undefined): string {
  if (!isSet) return 'missing'
  return origin === undefined ? 'set' : `from ${origin}`
}

/** Shows the tools of an agent, including those it reaches through other agents, with their permissions. */
function ToolTable({ agent }: { readonly agent: Agent }): ReactElement {
  const rows: readonly (ServedTool & { readonly via?: readonly string[] })[] = [
    ...agent.tools,
    ...agent.reaches,
  ]
  return (
    <div className="flex flex-col gap-2">
      {rows.length === 0 ? null : (
        <table className="w-full text-left text-small">
          <tbody>
            {rows.map((tool) => {
              const [word, tone] = PERMISSIONS[tool.permission]
              return (
                <tr key={`${tool.via?.join('/') ?? ''} ${tool.name}`} className="border-t border-line/60">
                  <td className="py-1.5 pr-3 font-mono break-all">{tool.name}</td>
                  <td className="py-1.5 pr-3 text-muted">
                    {tool.via === undefined ? tool.source : `through ${tool.via.join(' → ')}`}
                  </td>
                  <td className={`py-1.5 text-right font-medium whitespace-nowrap ${tone}`}>{word}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      {agent.servers.length === 0 ? null : (
        <p className="text-small text-muted">
          and the tools of {agent.servers.length === 1 ? 'the MCP server' : 'the MCP servers'}{' '}
          <code className="font-mono">{agent.servers.join(', ')}</code>, which are queried when a run starts
        </p>
      )}
      {rows.length + agent.servers.length === 0 ? (
        <p className="text-small text-muted">It has no tools.</p>
      ) : null}
    </div>
  )
}
