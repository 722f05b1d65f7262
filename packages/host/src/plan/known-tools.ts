import type { ToolDefinition } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import { keptTools, standsInCard } from '../prepare/kept-tools.ts'

const GLOB = /[*?[\]{}()!+@|\\]/u

/** The tools of an agent as far as a plan knows them. */
export interface KnownTools {
  readonly tools: readonly ToolDefinition[]
  /** True where its MCP servers were asked, so that these are all. */
  readonly isWhole: boolean
}

/** The tools of an agent that a plan knows: all of them where its MCP servers were asked (`listed`), else those that it has without them. */
export function knownTools(
  { member, parts }: Pick<CheckedAgent, 'member' | 'parts'>,
  listed: readonly ToolDefinition[] | undefined,
): KnownTools {
  if (listed !== undefined) return { tools: listed, isWhole: true }
  const own = parts.tools.map(({ tool }) => tool)
  // most agents have nothing that could be left out, and patterns are dear
  const tools = own.every(standsInCard) ? own : keptTools(own, member.definition).tools
  return { tools, isWhole: false }
}

/** Returns true if a glob may match a name with this prefix, such as a tool of an MCP server that has not listed its tools. */
export function mayMatchPrefix(glob: string, prefix: string): boolean {
  const special = glob.search(GLOB)
  if (special === -1) return glob.startsWith(prefix)
  const literal = glob.slice(0, special)
  return literal.startsWith(prefix) || prefix.startsWith(literal)
}
