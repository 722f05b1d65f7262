import { buildSystemPrompt } from '@troupe/core'
import { filterTools } from '@troupe/mcp'
import type { RunWarning } from '@troupe/registry'
import type { AgentDefinition, ToolDefinition } from '@troupe/schema'
import type { AgentParts } from './agent-parts.ts'
import { assignWireNames, type OfferedTool } from './assign-wire-names.ts'

/** The tools of an agent as its model sees them, and the system message that goes with them. */
export interface AssembledTools {
  readonly tools: ReadonlyMap<string, ToolDefinition>
  readonly system: string
  readonly warnings: readonly RunWarning[]
}

/** Puts together MCP tools (filtered), function tools and children (A27). Throws `tool_name_conflict` (R2). */
export function assembleTools(
  definition: AgentDefinition,
  parts: AgentParts,
  lists: readonly (readonly ToolDefinition[])[],
): AssembledTools {
  const filtered = filterTools(lists.flat(), definition.tools)
  const { tools, renamed } = assignWireNames(
    [...filtered.tools.map(offerServerTool), ...parts.tools],
    definition.name,
  )
  const warnings: readonly RunWarning[] = [
    ...filtered.unmatched.map((entry) => ({
      code: 'tool_unknown' as const,
      message: `tools: "${entry}" matches no tool of the MCP servers of ${definition.name}.`,
    })),
    ...renamed.map((message) => ({ code: 'tool_name_conflict' as const, message })),
  ]
  return { tools, system: buildSystemPrompt(definition, tools.values()), warnings }
}

function offerServerTool(tool: ToolDefinition): OfferedTool {
  return { tool, from: `the tool ${tool.name} of the MCP server ${tool.server ?? ''}` }
}
