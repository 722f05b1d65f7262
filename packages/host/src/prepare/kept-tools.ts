import { filterTools, type FilteredTools } from '@troupe/mcp'
import type { AgentDefinition, ToolDefinition } from '@troupe/schema'

/** The tools that the `tools` of a card leave an agent. Functions and children stand in the card one by one, so no list leaves them out. */
export function keptTools(
  tools: readonly ToolDefinition[],
  { tools: filter }: Pick<AgentDefinition, 'tools'>,
): FilteredTools {
  const { tools: passed, unmatched } = filterTools(tools, filter)
  const kept = new Set(passed)
  return { tools: tools.filter((tool) => standsInCard(tool) || kept.has(tool)), unmatched }
}

/** True for functions and children. */
export function standsInCard({ source }: ToolDefinition): boolean {
  return source !== 'mcp' && source !== 'runtime'
}
