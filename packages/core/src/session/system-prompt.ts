import type { AgentDefinition, ToolDefinition } from '@troupe/schema'

/** The system message of an agent: its instruction, then what its tools ask to have said (C38). Nothing else; equal input gives equal bytes. */
export function buildSystemPrompt(
  definition: Pick<AgentDefinition, 'instruction'>,
  tools: Iterable<ToolDefinition>,
): string {
  const parts = [definition.instruction.trim()]
  for (const { instructions } of tools) {
    const text = instructions?.trim()
    if (text !== undefined && text !== '' && !parts.includes(text)) parts.push(text)
  }
  return parts.filter((part) => part !== '').join('\n\n')
}
