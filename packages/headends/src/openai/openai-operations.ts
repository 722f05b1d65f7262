import { z } from 'zod'
import type { OperationTable } from '../headend/headend.ts'
import { operation, RUN_ERRORS, type OperationParts } from '../openapi/operation.ts'
import { chatCompletionRequest } from './chat-completion-request.ts'
import { responsesRequest } from './responses-request.ts'

const error = z.looseObject({
  error: z.looseObject({ message: z.string() }),
})
const model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.number(),
  owned_by: z.string(),
})
const completion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.number(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.number(),
      message: z.looseObject({ role: z.literal('assistant'), content: z.string() }),
      finish_reason: z.enum(['stop', 'length']),
    }),
  ),
  usage: z.looseObject({
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    total_tokens: z.number(),
  }),
})
const response = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  status: z.enum(['completed', 'incomplete']),
  output: z.array(z.looseObject({ type: z.literal('message') })),
})

const storedResponseShape = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  status: z.enum(['completed', 'incomplete', 'in_progress', 'failed']),
  output: z.array(z.looseObject({ type: z.literal('message') })),
})

/** Returns the OpenAPI operations of the OpenAI API. */
export function openAIOperations(): OperationTable {
  const make = (parts: Omit<OperationParts, 'tag' | 'error'>): ReturnType<typeof operation> =>
    operation({ ...parts, tag: 'OpenAI', error })
  const whole = (schema: z.ZodType): OperationParts['answers'] => ({
    200: {
      description: 'Whole, or as a stream where `stream` is true',
      content: { 'application/json': schema, 'text/event-stream': 'text' },
    },
  })
  return {
    '/openai/v1/models': {
      get: make({
        id: 'listModels',
        summary: 'The served agents as models',
        answers: {
          200: {
            description: 'The models',
            content: { 'application/json': z.object({ object: z.literal('list'), data: z.array(model) }) },
          },
        },
      }),
    },
    '/openai/v1/models/{model}': {
      get: make({
        id: 'readModel',
        summary: 'One agent as a model',
        path: ['model'],
        answers: { 200: { description: 'The model', content: { 'application/json': model } } },
        errors: [404],
      }),
    },
    '/openai/v1/chat/completions': {
      post: make({
        id: 'createChatCompletion',
        summary: 'A chat completion of an agent',
        body: chatCompletionRequest,
        answers: whole(completion),
        errors: RUN_ERRORS,
      }),
    },
    '/openai/v1/responses': {
      post: make({
        id: 'createResponse',
        summary: 'A response of an agent',
        body: responsesRequest,
        answers: whole(response),
        errors: RUN_ERRORS,
      }),
    },
    '/openai/v1/responses/{id}': {
      get: make({
        id: 'readResponse',
        summary: 'A response of the caller that is kept',
        path: ['id'],
        answers: {
          200: { description: 'As it stands', content: { 'application/json': storedResponseShape } },
        },
        errors: [404],
      }),
    },
  }
}
