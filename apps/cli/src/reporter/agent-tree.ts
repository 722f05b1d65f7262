import type { HostPlan, PlannedAgent, PlannedTool, WorstCase } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import { shortPath, type ProblemFormat } from './plan-problems.ts'
import { branchLines } from './table.ts'

/** Returns the agents of a plan as a tree. An agent that is already shown is only named. */
export function agentTree(plan: HostPlan, format: ProblemFormat): readonly string[] {
  const shown = new Set<string>()
  const unreached = new Set(plan.unreached)
  const agents = new Map(plan.agents.map((agent) => [agent.name, agent]))
  const draw = (agent: PlannedAgent, isRoot: boolean): readonly string[] => {
    if (shown.has(agent.name)) return [`${plainText(agent.name)} ${format.style.dim('(see above)')}`]
    shown.add(agent.name)
    const children = agent.children.flatMap((name) => agents.get(name) ?? [])
    return [
      headOf(agent, { plan, unreached }, format),
      ...agentFacts(agent, { isRoot }).map(
        (fact) => `${children.length > 0 ? '│' : ' '}   ${plainText(fact)}`,
      ),
      ...children.flatMap((child, index) => branchLines(draw(child, false), index === children.length - 1)),
    ]
  }
  return rootsOf(plan).flatMap((root) => (shown.has(root.name) ? [] : draw(root, true)))
}

/**
 * Returns the entry agent, then agents that no other agent calls, then all others, for those that are only
 * reachable through a cycle.
 */
function rootsOf(plan: HostPlan): readonly PlannedAgent[] {
  const called = new Set(plan.agents.flatMap((agent) => agent.children))
  const isEntry = (agent: PlannedAgent): boolean => agent.name === plan.entry
  return [
    ...plan.agents.filter(isEntry),
    ...plan.agents.filter((agent) => !isEntry(agent) && !called.has(agent.name)),
    ...plan.agents.filter((agent) => !isEntry(agent) && called.has(agent.name)),
  ]
}

function headOf(
  agent: PlannedAgent,
  { plan, unreached }: { readonly plan: HostPlan; readonly unreached: ReadonlySet<string> },
  { cwd, style }: ProblemFormat,
): string {
  const marks = [
    agent.name === plan.entry ? 'entry' : undefined,
    unreached.has(agent.name) ? 'not reached from the entry' : undefined,
    agent.type === 'agent' ? undefined : agent.type,
    agent.hidden ? 'hidden' : undefined,
    agent.runnable ? undefined : 'cannot run',
  ].filter((mark) => mark !== undefined)
  const suffix = marks.length === 0 ? '' : `  [${marks.join(', ')}]`
  return `${style.bold(plainText(agent.name))}  ${style.dim(shortPath(agent.file, cwd))}${suffix}`
}

const MOST_REACHED = 12
const PERMISSION_MARKS = { allow: '', ask: ' (asks)', deny: ' (denied)' } as const

/**
 * Returns the facts of a plan about one agent, one line each. Reached tools and worst-case usage are given
 * for root agents only.
 */
function agentFacts(agent: PlannedAgent, { isRoot }: { readonly isRoot: boolean }): readonly string[] {
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['models', agent.models],
    ['unknown price', agent.unpriced],
    ['servers', agent.servers.map((name) => serverFact(name, agent))],
    [
      'tools',
      agent.tools.filter((tool) => tool.source !== 'agent' || tool.permission !== 'allow').map(toolFact),
    ],
    ['hooks', agent.toolHooks],
    ['output', agent.outputNotes],
    ['reaches', isRoot ? reachFacts(agent) : []],
    ['at most', isRoot && agent.children.length > 0 ? worstCaseFacts(agent.worstCase) : []],
  ]
  return facts.flatMap(([word, values]) => (values.length === 0 ? [] : [`${word}: ${values.join(', ')}`]))
}

function serverFact(name: string, { unlistedServers }: PlannedAgent): string {
  return unlistedServers.includes(name) ? `${name} (tools: --connect)` : name
}

function toolFact({ name, permission }: PlannedTool): string {
  return `${name}${PERMISSION_MARKS[permission]}`
}

function reachFacts({ reaches }: PlannedAgent): readonly string[] {
  const shown = reaches.slice(0, MOST_REACHED).map((tool) => `${toolFact(tool)} via ${tool.via.join(' -> ')}`)
  const more = reaches.length - shown.length
  return more > 0 ? [...shown, `${more} more (--json)`] : shown
}

function worstCaseFacts({
  runs,
  modelCalls,
  toolCalls,
  tokens,
  cost,
  durationMs,
}: WorstCase): readonly string[] {
  return [
    `${formatNumber(runs)} runs`,
    `${formatNumber(modelCalls)} model calls`,
    `${formatNumber(toolCalls)} tool calls`,
    tokens === undefined ? 'unlimited tokens' : `${formatNumber(tokens)} tokens`,
    cost === undefined ? 'unlimited cost' : `$${cost}`,
    ...(durationMs === undefined ? [] : [`${formatNumber(durationMs / 1000)} s`]),
  ]
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}
