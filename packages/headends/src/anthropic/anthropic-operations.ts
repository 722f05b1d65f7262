import { z } from 'zod'
import type { OperationTable } from '../headend/headend.ts'
import { operation, RUN_ERRORS, type OperationParts } from '../openapi/operation.ts'
import { countRequest, messagesRequest } from './messages-request.ts'

const error = z.looseObject({
  error: z.looseObject({ message: z.string() }),
})
const model = z.object({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string(),
})
const models = z.object({
  data: z.array(model),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})
const message = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.literal('text'), text: z.string() })),
  stop_reason: z.enum(['end_turn', 'max_tokens']),
  usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
})

/** Returns the OpenAPI operations of the Anthropic API. */
export function anthropicOperations(): OperationTable {
  const make = (parts: Omit<OperationParts, 'tag' | 'error'>): ReturnType<typeof operation> =>
    operation({ ...parts, tag: 'Anthropic', error })
  const json = (description: string, schema: z.ZodType): OperationParts['answers'] => ({
    200: { description, content: { 'application/json': schema } },
  })
  return {
    '/anthropic/v1/models': {
      get: make({
        id: 'listAgentModels',
        summary: 'The served agents as models',
        answers: json('The models', models),
      }),
    },
    '/anthropic/v1/models/{model}': {
      get: make({
        id: 'readAgentModel',
        summary: 'One agent as a model',
        path: ['model'],
        answers: json('The model', model),
        errors: [404],
      }),
    },
    '/anthropic/v1/messages': {
      post: make({
        id: 'createMessage',
        summary: 'A message of an agent',
        body: messagesRequest,
        answers: {
          200: {
            description: 'Whole, or as a stream where `stream` is true',
            content: { 'application/json': message, 'text/event-stream': 'text' },
          },
        },
        errors: [...RUN_ERRORS, 529],
      }),
    },
    '/anthropic/v1/messages/count_tokens': {
      post: make({
        id: 'countTokens',
        summary: 'An estimate of the tokens of a message',
        body: countRequest,
        answers: json('The count', z.object({ input_tokens: z.number().int() })),
        errors: [404],
      }),
    },
  }
}
