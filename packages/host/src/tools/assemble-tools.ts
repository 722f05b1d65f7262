import { buildSystemPrompt } from '@troupe/core'
import { filterTools, type FilteredTools, type UnmatchedEntry } from '@troupe/mcp'
import type { RunWarning } from '@troupe/registry'
import { mcpToolName, type AgentDefinition, type ToolDefinition } from '@troupe/schema'
import { listFirst } from '@troupe/schema/text'
import { suggestionText } from '../config/plan-problem.ts'
import { assignWireNames, type ToolCandidate } from './assign-wire-names.ts'

/** The tools of an agent by the names its model sees, and the system prompt that goes with them. */
export interface AssembledTools {
  readonly tools: ReadonlyMap<string, ToolDefinition>
  readonly system: string
  readonly warnings: readonly RunWarning[]
}

/** Tools listed by the servers of an agent, and the names of unavailable servers. */
export interface ServerLists {
  readonly lists: readonly (readonly ToolDefinition[])[]
  readonly unavailable: readonly string[]
}

/**
 * Combines the filtered tools of MCP servers and the runtime with function tools and child agents. Throws
 * `tool_name_conflict`.
 */
export function assembleTools(
  definition: AgentDefinition,
  parts: { readonly tools: readonly ToolCandidate[] },
  { lists, unavailable }: ServerLists,
): AssembledTools {
  const offered = [...lists.flat().map(offerServerTool), ...parts.tools]
  const filtered = filterAgentTools(
    offered.map(({ tool }) => tool),
    definition,
  )
  const included = new Set(filtered.tools)
  const { tools, renamed } = assignWireNames(
    offered.filter(({ tool }) => included.has(tool)),
    definition.name,
  )
  const warnings: readonly RunWarning[] = [
    ...filtered.unmatched
      .filter((entry) => !isOfServer(entry, unavailable) && !isReported(entry, definition))
      .map((entry) => unmatchedWarning(entry, definition)),
    ...renamed.map((message) => ({ code: 'tool_name_conflict' as const, message })),
  ]
  return { tools, system: buildSystemPrompt(definition, tools.values()), warnings }
}

function unmatchedWarning(
  { entry, index, server, names }: UnmatchedEntry,
  agent: AgentDefinition,
): RunWarning {
  const path = server === undefined ? ['tools', index] : ['tools', server, index]
  const owner = server === undefined ? agent.name : `the MCP server "${server}"`
  const hint = suggestionText(entry.replaceAll('*', ''), names)
  return {
    code: 'tool_unknown',
    message: `tools: "${entry}" matches no tool of ${owner}${hint} Its tools: ${listFirst(names) || 'none'}.`,
    path,
  }
}

/** Returns true for an entry about a server that is unavailable, since its tools are unknown. */
function isOfServer({ entry, server }: UnmatchedEntry, unavailable: readonly string[]): boolean {
  if (server !== undefined) return unavailable.includes(server)
  return unavailable.some((name) => entry.startsWith(mcpToolName(name, '')))
}

/**
 * Returns true for an entry that the check already reported: of a server that the agent does not have, the skill tool
 * of an agent whose skills are missing, and the web search without a provider.
 */
function isReported(
  { entry, server }: UnmatchedEntry,
  { servers, mcpServers, skills, runtimeTools }: AgentDefinition,
): boolean {
  if (server !== undefined) return !servers.includes(server) && !Object.hasOwn(mcpServers, server)
  if (entry === 'web.search') return runtimeTools.includes('search')
  return entry === 'skill.read' && (skills.length > 0 || runtimeTools.includes('skills'))
}

function offerServerTool(tool: ToolDefinition): ToolCandidate {
  return { tool, from: `the tool ${tool.name} of the MCP server ${tool.server ?? ''}` }
}

/**
 * Applies the `tools` filter of a card. Functions and children are never filtered, since the card names each
 * of them.
 */
export function filterAgentTools(
  tools: readonly ToolDefinition[],
  { tools: filter }: Pick<AgentDefinition, 'tools'>,
): FilteredTools {
  const { tools: passed, unmatched } = filterTools(tools, filter)
  const included = new Set(passed)
  return { tools: tools.filter((tool) => isNamedInCard(tool) || included.has(tool)), unmatched }
}

/** Returns true for functions and children. */
export function isNamedInCard({ source }: ToolDefinition): boolean {
  return source !== 'mcp' && source !== 'runtime'
}
