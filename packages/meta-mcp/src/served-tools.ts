import type { Tool } from '@modelcontextprotocol/server'
import type { AgentDefinition } from '@troupe/schema'
import type { CallableTool } from './answer-call.ts'
import { backgroundTools, describeBackgroundTool } from './background-tools.ts'
import { describeTool } from './describe-tool.ts'
import type { ExportedTool } from './exported-tool.ts'
import { readExportedTools } from './read-exported-tools.ts'

/** Tools offered by one version of an agent. */
export interface ServedTools {
  readonly agent: AgentDefinition
  /** Exported tools in the order of the card. */
  readonly tools: readonly ExportedTool[]
  /**
   * Everything a client can call, by wire name: the tools, and the start and poll tools of background tools.
   */
  readonly offered: ReadonlyMap<string, CallableTool>
  /** MCP listing. */
  readonly listed: readonly Tool[]
}

/**
 * Reads and validates the exported tools of an agent. Throws `exports_no_tools`, `tool_name_conflict` or
 * `export_need_unmet`.
 */
export function readServedTools(agent: AgentDefinition): ServedTools {
  const tools = readExportedTools(agent)
  const called = Array.from(
    tools,
    ([wireName, tool]) => [wireName, { kind: 'call', tool, wireName }] as const,
  )
  const offered = new Map<string, CallableTool>([...called, ...backgroundTools(tools)])
  const listed = [...offered.values()].map((each) => describe(each, { agent, offered }))
  return { agent, tools: [...tools.values()], offered, listed }
}

function describe(
  { kind, tool, wireName }: CallableTool,
  {
    agent,
    offered,
  }: { readonly agent: AgentDefinition; readonly offered: ReadonlyMap<string, CallableTool> },
): Tool {
  if (kind === 'call') return describeTool(tool, agent)
  const poll = Array.from(offered.values()).find((other) => other.kind === 'poll' && other.tool === tool)
  return describeBackgroundTool({ kind, tool, wireName }, { agent, poll: poll?.wireName ?? '' })
}
