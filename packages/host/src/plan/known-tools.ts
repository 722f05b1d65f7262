import type { ToolDefinition } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import { keptTools } from '../prepare/kept-tools.ts'

/** The tools of an agent that a plan knows: all of them where its MCP servers were asked (`listed`), else those that it has without them. */
export function knownTools(
  { member, parts }: Pick<CheckedAgent, 'member' | 'parts'>,
  listed: readonly ToolDefinition[] | undefined,
): readonly ToolDefinition[] {
  const own = (): readonly ToolDefinition[] => parts.tools.map(({ tool }) => tool)
  return listed ?? keptTools(own(), member.definition).tools
}
