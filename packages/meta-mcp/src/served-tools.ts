import type { Tool } from '@modelcontextprotocol/server'
import type { AgentDefinition } from '@troupe/schema'
import type { OfferedTool } from './answer-call.ts'
import { backgroundTools, describeBackgroundTool } from './background-tools.ts'
import { describeTool } from './describe-tool.ts'
import type { ExportedTool } from './exported-tool.ts'
import { readExportedTools } from './read-exported-tools.ts'

/** What one version of an agent offers. */
export interface ServedTools {
  readonly agent: AgentDefinition
  /** In the order of the card. */
  readonly tools: readonly ExportedTool[]
  /** What clients can call, by the names that they call it: the tools, and those that start them and ask for their answers. */
  readonly offered: ReadonlyMap<string, OfferedTool>
  /** As MCP lists it. */
  readonly listed: readonly Tool[]
}

/** Reads and checks the tools of an agent (D25). Throws `exports_no_tools` and `tool_name_conflict`. */
export function serveTools(agent: AgentDefinition): ServedTools {
  const tools = readExportedTools(agent)
  const called = Array.from(
    tools,
    ([wireName, tool]) => [wireName, { kind: 'call', tool, wireName }] as const,
  )
  const offered = new Map<string, OfferedTool>([...called, ...backgroundTools(tools)])
  const listed = [...offered.values()].map((each) => describe(each, { agent, offered }))
  return { agent, tools: [...tools.values()], offered, listed }
}

function describe(
  { kind, tool, wireName }: OfferedTool,
  { agent, offered }: { readonly agent: AgentDefinition; readonly offered: ReadonlyMap<string, OfferedTool> },
): Tool {
  if (kind === 'call') return describeTool(tool, agent)
  const poll = Array.from(offered.values()).find((other) => other.kind === 'poll' && other.tool === tool)
  return describeBackgroundTool({ kind, tool, wireName }, { agent, poll: poll?.wireName ?? '' })
}
