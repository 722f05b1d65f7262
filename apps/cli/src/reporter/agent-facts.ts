import type { PlannedAgent, PlannedTool, WorstCase } from '@troupe/host'

const MOST_REACHED = 12
const PERMISSION_MARKS = { allow: '', ask: ' (asks)', deny: ' (denied)' } as const
const NUMBER = new Intl.NumberFormat('en-US')

/**
 * Returns the facts of a plan about one agent, one line each. Reached tools and worst-case usage are given
 * for root agents only.
 */
export function agentFacts(agent: PlannedAgent, { isRoot }: { readonly isRoot: boolean }): readonly string[] {
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['models', agent.models],
    ['no price known', agent.unpriced],
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
    `${NUMBER.format(runs)} runs`,
    `${NUMBER.format(modelCalls)} model calls`,
    `${NUMBER.format(toolCalls)} tool calls`,
    tokens === undefined ? 'tokens without limit' : `${NUMBER.format(tokens)} tokens`,
    cost === undefined ? 'cost without limit' : `$${cost}`,
    ...(durationMs === undefined ? [] : [`${NUMBER.format(durationMs / 1000)} s`]),
  ]
}
