import type { Client } from '@modelcontextprotocol/client'
import { listEntries, type EntryKind, type ListOptions } from './list-entries.ts'
import { readServerTool, type ServerTool } from '../tools/server-tool.ts'

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

const HINTS = { readOnly: true, idempotent: true, destructive: false } as const

/**
 * Built-in tools with which a model reads the resources of a server. An agent gets them if the server
 * definition sets `resources: true`.
 */
const RESOURCE_TOOLS: readonly ServerTool[] = Object.freeze([
  {
    name: 'list_resources',
    description: 'Lists the resources of this server and its templates for further resources, page by page.',
    inputSchema: {
      type: 'object',
      properties: { cursor: { type: 'string', description: 'The nextCursor of the previous page' } },
      additionalProperties: false,
    },
    ...HINTS,
    fingerprint: 'list_resources',
    resource: 'list',
  },
  {
    name: 'read_resource',
    description: 'Reads one resource of this server, by a URI from list_resources or from a template.',
    inputSchema: {
      type: 'object',
      properties: { uri: { type: 'string', minLength: 1, maxLength: 8192 } },
      required: ['uri'],
      additionalProperties: false,
    },
    ...HINTS,
    fingerprint: 'read_resource',
    resource: 'read',
  },
])
