import { buildSystemPrompt } from '@troupe/core'
import type { RunWarning } from '@troupe/registry'
import { mcpToolName, type AgentDefinition, type ToolDefinition } from '@troupe/schema'
import type { AgentParts } from '../check/agent-parts.ts'
import { assignWireNames, type OfferedTool } from './assign-wire-names.ts'
import { keptTools } from './kept-tools.ts'

/** The tools of an agent as its model sees them, and the system message that goes with them. */
export interface AssembledTools {
  readonly tools: ReadonlyMap<string, ToolDefinition>
  readonly system: string
  readonly warnings: readonly RunWarning[]
}

/** What the servers of an agent list, and which of them it has to do without. */
export interface ServerLists {
  readonly lists: readonly (readonly ToolDefinition[])[]
  readonly absent: readonly string[]
}

/** Puts together MCP tools and runtime tools (filtered), function tools and children (A27). Throws `tool_name_conflict` (R2). */
export function assembleTools(
  definition: AgentDefinition,
  parts: AgentParts,
  { lists, absent }: ServerLists,
): AssembledTools {
  const offered = [...lists.flat().map(offerServerTool), ...parts.tools]
  const filtered = keptTools(
    offered.map(({ tool }) => tool),
    definition,
  )
  const kept = new Set(filtered.tools)
  const { tools, renamed } = assignWireNames(
    offered.filter(({ tool }) => kept.has(tool)),
    definition.name,
  )
  const warnings: readonly RunWarning[] = [
    ...filtered.unmatched
      .filter((entry) => !isOfServer(entry, absent) && !isOfSkills(entry, definition))
      .map((entry) => ({
        code: 'tool_unknown' as const,
        message: `tools: "${entry}" matches no tool of ${definition.name}.`,
      })),
    ...renamed.map((message) => ({ code: 'tool_name_conflict' as const, message })),
  ]
  return { tools, system: buildSystemPrompt(definition, tools.values()), warnings }
}

/** An entry for the tools of a server that is not there says nothing of the entry. */
function isOfServer(entry: string, servers: readonly string[]): boolean {
  return servers.some((server) => entry.startsWith(`${server}:`) || entry.startsWith(mcpToolName(server, '')))
}

/** The check said that there are no skills. */
function isOfSkills(entry: string, { skills, runtimeTools }: AgentDefinition): boolean {
  return entry === 'skill.read' && (skills.length > 0 || runtimeTools.includes('skills'))
}

function offerServerTool(tool: ToolDefinition): OfferedTool {
  return { tool, from: `the tool ${tool.name} of the MCP server ${tool.server ?? ''}` }
}
