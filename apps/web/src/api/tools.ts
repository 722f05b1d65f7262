import type { ToolBody, ToolList } from '@troupe/client'
import type { AgentTool } from '@troupe/schema'
import { client } from './client.ts'
import type { ApiQuery } from './queries.ts'

/** The exported tools of an agent. The server has checked that their parameters are schemas. */
export interface AgentToolList extends Omit<ToolList, 'tools'> {
  readonly tools: readonly AgentTool[]
}

/** Returns the query of the exported tools of an agent. */
export function toolsQuery(agent: string): ApiQuery<AgentToolList> {
  return {
    key: `tools ${agent}`,
    load: async (options) => (await client.tools.list(agent, options)) as unknown as AgentToolList,
  }
}

/** Writes a tool to the card: replaces the tool `name`, or adds a new one if `name` is `undefined`. */
export function saveTool(
  agent: string,
  edit: {
    readonly name: string | undefined
    readonly tool: AgentTool
    /** Version of the card that was read. */
    readonly version: string | undefined
  },
): Promise<ToolList> {
  const { name, tool, version } = edit
  const body = { tool: tool as unknown as ToolBody['tool'], version }
  return name === undefined
    ? client.tools.add(agent, body)
    : client.tools.replace({ agent, tool: name }, body)
}
