import { filterTools, type FilteredTools } from '@troupe/mcp'
import type { AgentDefinition, ToolDefinition } from '@troupe/schema'

/**
 * Applies the `tools` filter of a card. Functions and children are never filtered, since the card names each
 * of them.
 */
export function filterAgentTools(
  tools: readonly ToolDefinition[],
  { tools: filter }: Pick<AgentDefinition, 'tools'>,
): FilteredTools {
  const { tools: passed, unmatched } = filterTools(tools, filter)
  const kept = new Set(passed)
  return { tools: tools.filter((tool) => isNamedInCard(tool) || kept.has(tool)), unmatched }
}

/** Returns true for functions and children. */
export function isNamedInCard({ source }: ToolDefinition): boolean {
  return source !== 'mcp' && source !== 'runtime'
}
