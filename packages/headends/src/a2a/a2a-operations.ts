import { z } from 'zod'
import type { OperationTable } from '../headend/headend.ts'
import { operation, type OperationParts } from '../openapi/operation.ts'

const id = z.union([z.string(), z.number(), z.null()])
const rpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: id.optional(),
  method: z.string().meta({ description: '`SendMessage` and others of A2A 1.0, or `message/send` of 0.3.' }),
  params: z.record(z.string(), z.unknown()).optional(),
})
const error = z.looseObject({ code: z.number(), message: z.string() })
const rpcAnswer = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: id.optional(),
  result: z.unknown().optional(),
  error: error.optional(),
})
const refused = z.looseObject({ jsonrpc: z.literal('2.0'), error })
const card = z.looseObject({ name: z.string(), description: z.string(), skills: z.array(z.looseObject({})) })

/** Returns the OpenAPI operations of A2A: an agent and its card. */
export function a2aOperations(cardPath: string): OperationTable {
  const make = (parts: Omit<OperationParts, 'tag' | 'error'>): ReturnType<typeof operation> =>
    operation({ ...parts, tag: 'A2A', error: refused, errors: [404] })
  const answers = { 200: { description: 'The card', content: { 'application/json': card } } }
  return {
    [cardPath]: { get: make({ id: 'readEntryCard', summary: 'The card of the entry', answers }) },
    [`/a2a/{agent}${cardPath}`]: {
      get: make({ id: 'readAgentCard', summary: 'The card of an agent', path: ['agent'], answers }),
    },
    '/a2a/{agent}': {
      post: make({
        id: 'callA2a',
        summary: 'One JSON-RPC request to an agent',
        path: ['agent'],
        body: rpcRequest,
        answers: {
          200: {
            description:
              'The answer, also where it is an error of JSON-RPC; a stream of answers where the method streams',
            content: { 'application/json': rpcAnswer, 'text/event-stream': 'text' },
          },
        },
      }),
    },
  }
}
