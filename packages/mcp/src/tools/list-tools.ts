import type { Client } from '@modelcontextprotocol/client'
import { listEntries, type EntryKind, type ListOptions } from './list-entries.ts'
import { RESOURCE_TOOLS } from '../resources/resource-tools.ts'
import { readServerTool, type ServerTool } from './server-tool.ts'

const TOOLS: EntryKind<ServerTool> = {
  noun: 'tool',
  read: (entry) => {
    const { tool, remark } = readServerTool(entry)
    return { item: tool, remark }
  },
  sizeOf: ({ fingerprint }) => fingerprint.length,
}

/**
 * Lists all tools of a server. `resources` adds the built-in resource tools if the server has resources.
 * Rejects if the server does not respond.
 */
export async function listTools(
  client: Client,
  options: ListOptions & { readonly resources?: boolean },
): Promise<readonly ServerTool[]> {
  const offered = client.getServerCapabilities()
  const own = offered?.tools === undefined ? [] : await listEntries(client, TOOLS, options)
  if (options.resources !== true || offered?.resources === undefined) return own
  const taken = new Set(own.map(({ name }) => name))
  return [...own, ...RESOURCE_TOOLS.filter(({ name }) => !taken.has(name))]
}
