import type { Client } from '@modelcontextprotocol/client'
import { listEntries, type EntryKind, type ListOptions } from '../tools/list-entries.ts'
import { promptSize, readServerPrompt } from './read-server-prompt.ts'
import type { ServerPrompt } from './server-prompt.ts'

const PROMPTS: EntryKind<ServerPrompt> = { noun: 'prompt', read: readServerPrompt, sizeOf: promptSize }

/**
 * Lists all prompts of a server, or none if it does not support prompts. Rejects if the server does not
 * respond.
 */
export async function listPrompts(client: Client, options: ListOptions): Promise<readonly ServerPrompt[]> {
  if (client.getServerCapabilities()?.prompts === undefined) return []
  return listEntries(client, PROMPTS, options)
}
