import type { ReachedTool } from './plan-types.ts'
import { plannedTools, type ToolOwner } from './planned-tools.ts'

/** An agent with its tools and children. */
export interface ReachingAgent extends ToolOwner {
  readonly children: readonly string[]
}

/**
 * Returns the tools that an agent can reach through its children, nearest first. Each descendant is listed
 * once, by its shortest path; agent tools are omitted. Permissions include the limits set by the agents on
 * that path.
 */
export function findReachableTools(
  name: string,
  agents: ReadonlyMap<string, ReachingAgent>,
): readonly ReachedTool[] {
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
