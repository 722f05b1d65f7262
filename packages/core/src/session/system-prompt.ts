import type { AgentDefinition, ToolDefinition } from '@troupe/schema'

/**
 * Builds the system message of an agent: its instruction, then the instructions of its tools. Equal input
 * gives equal bytes.
 */
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
