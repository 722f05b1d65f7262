import type { ExportedTool } from '@troupe/meta-mcp'
import type { AgentDefinition } from '@troupe/schema'

/**
 * Returns the exported tools of an agent, as MCP hosts see them. Loads `@troupe/meta-mcp` only if there are
 * any.
 */
export async function loadExportedTools(agent: AgentDefinition): Promise<readonly ExportedTool[]> {
  if (agent.exports.tools.length === 0) return []
  const { readExportedTools } = await import('@troupe/meta-mcp')
  return [...readExportedTools(agent).values()]
}
