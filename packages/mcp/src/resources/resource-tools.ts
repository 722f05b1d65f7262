import type { ServerTool } from '../tools/server-tool.ts'

const HINTS = { readOnly: true, idempotent: true, destructive: false } as const

/**
 * Built-in tools with which a model reads the resources of a server. An agent gets them if the server
 * definition sets `resources: true`.
 */
export const RESOURCE_TOOLS: readonly ServerTool[] = Object.freeze([
  {
    name: 'list_resources',
    description:
      'Lists what this server has to read, and the templates of further addresses. Answers in pages.',
    inputSchema: {
      type: 'object',
      properties: { cursor: { type: 'string', description: 'The nextCursor of the page before' } },
      additionalProperties: false,
    },
    ...HINTS,
    fingerprint: 'list_resources',
    resource: 'list',
  },
  {
    name: 'read_resource',
    description:
      'Reads one resource of this server, by an address that list_resources gave or that a template makes.',
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
