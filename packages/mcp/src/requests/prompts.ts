import type { Client } from '@modelcontextprotocol/client'
import { coerceToolResult, troupeError, type ContentPart } from '@troupe/schema'
import { visibleText } from '@troupe/schema/text'
import { listEntries, type EntryKind, type ListOptions } from './list-entries.ts'
import {
  promptSize,
  readServerPrompt,
  type FilledPrompt,
  type PromptMessage,
  type ServerPrompt,
} from '../tools/server-prompt.ts'
import { NO_TIMEOUT } from './call-tool.ts'

const PROMPTS: EntryKind<ServerPrompt> = { noun: 'prompt', read: readServerPrompt, sizeOf: promptSize }

/**
 * Lists all prompts of a server, or none if it does not support prompts. Rejects if the server does not
 * respond.
 */
export async function listPrompts(client: Client, options: ListOptions): Promise<readonly ServerPrompt[]> {
  if (client.getServerCapabilities()?.prompts === undefined) return []
  return listEntries(client, PROMPTS, options)
}

/** Name and arguments of a prompt. */
export interface PromptRequest {
  /** The server's own name of the prompt. */
  readonly name: string
  readonly args: Readonly<Record<string, string>>
}

/**
 * Returns a prompt rendered by the server. Removes invisible characters and warns about them. Does not
 * truncate texts: half a prompt is useless. Rejects if the server does not respond, or responds in an unknown
 * form.
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
    if (parts === undefined) throw troupeError('mcp_failed', `The prompt "${name}" has an unknown format.`)
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
