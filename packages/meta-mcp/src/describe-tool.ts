import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import type { AgentDefinition } from '@troupe/schema'
import type { ExportedTool } from './exported-tool.ts'

/** A tool as MCP lists it (D22): name, description and schemas are those of the card. */
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

/** Models read descriptions, and MCP has no other place for it. */
export function deprecationOf({ deprecated = false }: Pick<ExportedTool, 'deprecated'>): string {
  if (deprecated === false) return ''
  return deprecated === true ? 'Deprecated. ' : `Deprecated: ${deprecated} `
}

/** An agent that has nothing to call changes nothing. Of any other only its model knows what it will do, so the careful defaults of MCP stand. */
export function annotationsOf(agent: AgentDefinition): ToolAnnotations {
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
