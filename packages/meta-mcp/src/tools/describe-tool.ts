import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import type { AgentDefinition } from '@troupe/schema'
import type { ExportedTool } from './exported-tool.ts'

/** Returns the MCP listing of a tool, with the card's name, description and schemas. */
export function describeTool(tool: ExportedTool, agent: AgentDefinition): Tool {
  const { schema } = agent.output
  const { version, needs, deprecated } = tool
  return {
    name: tool.wireName,
    title: tool.name,
    description: `${deprecationOf(tool)}${tool.description}`,
    inputSchema: tool.parameters as Tool['inputSchema'],
    ...(schema === undefined ? {} : { outputSchema: schema }),
    annotations: annotationsOf(agent),
    _meta: {
      version,
      ...(needs.length === 0 ? {} : { needs: needs.map(({ wireName }) => wireName) }),
      ...(deprecated === undefined ? {} : { deprecated }),
    },
  }
}

/** Returns a deprecation note for the description, because MCP has no field for it. */
export function deprecationOf({ deprecated = false }: Pick<ExportedTool, 'deprecated'>): string {
  if (deprecated === false) return ''
  return deprecated === true ? 'Deprecated. ' : `Deprecated: ${deprecated} `
}

/**
 * Returns read-only annotations for an agent without tools and sub-agents. Otherwise the effects depend on
 * its model, so the conservative defaults of MCP apply.
 */
function annotationsOf(agent: AgentDefinition): ToolAnnotations {
  const hands = [
    agent.agents,
    agent.servers,
    agent.functionTools,
    agent.runtimeTools,
    Object.keys(agent.mcpServers),
  ]
  const isAlone = agent.type === 'agent' && hands.every((list) => list.length === 0)
  return isAlone ? { readOnlyHint: true, openWorldHint: false } : { openWorldHint: true }
}
