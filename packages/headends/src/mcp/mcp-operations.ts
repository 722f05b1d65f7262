import { z } from 'zod'
import type { OperationTable } from '../headend/headend.ts'
import { operation, type OperationParts } from '../openapi/operation.ts'

const message = z.looseObject({ jsonrpc: z.literal('2.0') })

/** Returns the OpenAPI operations of MCP. The MCP specification describes the messages. */
export function mcpOperations(): OperationTable {
  const make = (parts: Omit<OperationParts, 'tag' | 'error'>): ReturnType<typeof operation> =>
    operation({ ...parts, tag: 'MCP', error: z.looseObject({}), errors: [404, 406, ...(parts.errors ?? [])] })
  const answers: OperationParts['answers'] = {
    200: {
      description: 'A message, or a stream of them',
      content: { 'application/json': message, 'text/event-stream': 'text' },
    },
    202: { description: 'Taken; there is nothing to say' },
  }
  return {
    '/mcp': { post: make({ id: 'mcp', summary: 'Every agent as an MCP tool', body: message, answers }) },
    '/mcp/agents/{agent}': {
      post: make({
        id: 'mcpOfAgent',
        summary: 'The MCP tools that one agent offers itself',
        path: ['agent'],
        body: message,
        answers,
      }),
    },
  }
}
