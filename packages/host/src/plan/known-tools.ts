import type { ToolDefinition } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import { filterAgentTools, isNamedInCard } from '../tools/assemble-tools.ts'

const GLOB = /[*?[\]{}()!+@|\\]/u

/** The tools of an agent known when planning. */
export interface KnownTools {
  readonly tools: readonly ToolDefinition[]
  /** True if `tools` is complete because the MCP servers were inspected. */
  readonly isComplete: boolean
}

/** Returns `listed` if the MCP servers were inspected, else the tools that the agent has without them. */
export function knownTools(
  { member, parts }: Pick<CheckedAgent, 'member' | 'parts'>,
  listed: readonly ToolDefinition[] | undefined,
): KnownTools {
  if (listed !== undefined) return { tools: listed, isComplete: true }
  const own = parts.tools.map(({ tool }) => tool)
  // Most agents have nothing to filter, and glob matching is slow.
  const tools = own.every(isNamedInCard) ? own : filterAgentTools(own, member.definition).tools
  return { tools, isComplete: false }
}

/** Returns true if a glob may match a name with this prefix, such as a tool of an MCP server that has not listed its tools. */
export function mayMatchPrefix(glob: string, prefix: string): boolean {
  const special = glob.search(GLOB)
  if (special === -1) return glob.startsWith(prefix)
  const literal = glob.slice(0, special)
  return literal.startsWith(prefix) || prefix.startsWith(literal)
}

/** A checked agent with its known tools. */
export interface KnownAgent {
  readonly agent: CheckedAgent
  readonly known: KnownTools
}
