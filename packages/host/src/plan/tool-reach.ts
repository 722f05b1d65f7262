import type { ReachedTool } from './plan-types.ts'
import { plannedTools, type ToolOwner } from './planned-tools.ts'

/** What is known of one agent for this. */
export interface ReachingAgent extends ToolOwner {
  readonly children: readonly string[]
}

/**
 * The tools that an agent reaches through its children, nearest first, each agent below once by its shortest way. The ways themselves, its
 * agent tools, are left out. Permissions are those that hold on that way: the ceilings of the agents above it (R16).
 */
export function toolReach(name: string, agents: ReadonlyMap<string, ReachingAgent>): readonly ReachedTool[] {
  if (agents.get(name)?.children.length === 0) return []
  const reached: ReachedTool[] = []
  const seen = new Set([name])
  const ways: (readonly string[])[] = [[name]]
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const child of agents.get(way.at(-1) ?? '')?.children ?? []) {
      if (seen.has(child)) continue
      seen.add(child)
      const longer = [...way, child]
      ways.push(longer)
      reached.push(...toolsAtEnd(longer, agents))
    }
  }
  return reached
}

function toolsAtEnd(
  way: readonly string[],
  agents: ReadonlyMap<string, ReachingAgent>,
): readonly ReachedTool[] {
  const on = way.flatMap((name) => agents.get(name) ?? [])
  const last = on.at(-1)
  if (last === undefined) return []
  const above = on.slice(0, -1).map((agent) => agent.definition)
  const tools = last.tools.filter((tool) => tool.source !== 'agent')
  return plannedTools({ ...last, tools }, above).map((tool) => ({ ...tool, via: way.slice(1) }))
}
