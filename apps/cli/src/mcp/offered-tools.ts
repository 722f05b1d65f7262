import type { ExportedTool } from '@troupe/meta-mcp'
import type { AgentDefinition } from '@troupe/schema'

/** The tools that an agent itself offers, as MCP hosts see them; often none, and then nothing is loaded for it. */
export async function offeredTools(agent: AgentDefinition): Promise<readonly ExportedTool[]> {
  if (agent.exports.tools.length === 0) return []
  const { readExportedTools } = await import('@troupe/meta-mcp')
  return [...readExportedTools(agent).values()]
}
