import type { Client } from '@modelcontextprotocol/client'
import { listEntries, type EntryKind, type ListOptions } from '../tools/list-entries.ts'
import { promptSize, readServerPrompt } from './read-server-prompt.ts'
import type { ServerPrompt } from './server-prompt.ts'

const PROMPTS: EntryKind<ServerPrompt> = { word: 'prompt', read: readServerPrompt, sizeOf: promptSize }

/** Every prompt of a server; none where it says that it has none. Rejects when the server does not answer. */
export async function listPrompts(client: Client, options: ListOptions): Promise<readonly ServerPrompt[]> {
  if (client.getServerCapabilities()?.prompts === undefined) return []
  return listEntries(client, PROMPTS, options)
}
