import type { Client } from '@modelcontextprotocol/client'
import { coerceToolResult, troupeError, visibleText, type ContentPart } from '@troupe/schema'
import { NO_TIMEOUT } from '../calls/call-tool.ts'
import type { ListOptions } from '../tools/list-entries.ts'
import type { FilledPrompt, PromptMessage } from './server-prompt.ts'

/** Which prompt, and what it is filled in with. */
export interface PromptRequest {
  /** The server's own name for it. */
  readonly name: string
  readonly args: Readonly<Record<string, string>>
}

/**
 * Lets the server fill in a prompt. Its texts lose what a person does not see in them, which is said through `warn`; their length is
 * bounded by that of a message only, as half a prompt is none. Rejects when the server does not answer, or in an unknown form.
 */
export async function getPrompt(
  client: Client,
  { name, args }: PromptRequest,
  { signal, warn }: ListOptions,
): Promise<FilledPrompt> {
  const { messages } = await client.getPrompt({ name, arguments: args }, { signal, timeout: NO_TIMEOUT })
  const remarks = new Set<string>()
  const filled = messages.map(({ role, content }): PromptMessage => {
    const parts = coerceToolResult({ content: [content] })?.content
    if (parts === undefined) throw troupeError('mcp_failed', `The prompt "${name}" has an unknown form.`)
    return { role, content: parts.map((part) => withoutHidden(part, remarks)) }
  })
  for (const remark of remarks) warn(`its prompt "${name}" ${remark}`)
  return { messages: filled }
}

function withoutHidden(part: ContentPart, remarks: Set<string>): ContentPart {
  if (part.type !== 'text') return part
  const { text, remark } = visibleText(part.text, { limit: Infinity })
  if (remark !== undefined) remarks.add(remark)
  return { type: 'text', text }
}
