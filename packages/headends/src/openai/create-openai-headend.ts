import { troupeError, type AgentDefinition } from '@troupe/schema'
import { z } from 'zod'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import { type Handler, type Headend, type HeadendContext, postCommand } from '../headend/headend.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { routes, withErrorResponse, type Route } from '../routes/routes.ts'
import { createClientRuns } from '../client-calls/client-runs.ts'
import type { RunService } from '../run-service/run-service.ts'
import { createBackgroundResponses } from './background-responses.ts'
import { answerResponses } from './answer-responses.ts'
import { answerChatCompletion } from './chat-completion.ts'
import { embeddingsHandler, embeddingsRequest, embeddingsShape, type EmbeddingRunner } from './embeddings.ts'
import { itemShape, itemsQueryShape, itemsShape } from './item-list.ts'
import { openAIError } from './openai-error.ts'
import {
  conversationBody,
  conversationItemHandler,
  conversationItemsHandler,
  conversationShape,
  conversationUpdate,
  createConversationHandler,
  deleteConversationHandler,
  deletedConversationShape,
  fixedItemsHandler,
  readConversationHandler,
  updateConversationHandler,
} from './conversation-handlers.ts'
import { chatCompletionRequest } from './chat-completion-request.ts'
import {
  cancelHandler,
  compactHandler,
  deleteHandler,
  inputItemsHandler,
  inputTokensHandler,
  readHandler,
  readQueryShape,
} from './response-handlers.ts'
import { inputTokensRequest, responsesRequest } from './responses-request.ts'

const errorFormat = z
  .looseObject({ error: z.looseObject({ message: z.string() }) })
  .meta({ id: 'OpenAIError' })
const modelShape = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.number(),
  owned_by: z.string(),
})
const completionShape = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.number(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.number(),
      message: z.looseObject({ role: z.literal('assistant'), content: z.string().nullable() }),
      finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']),
    }),
  ),
  usage: z.looseObject({
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    total_tokens: z.number(),
  }),
})
const responseShape = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
    background: z.boolean(),
    output: z.array(z.looseObject({ type: z.enum(['message', 'reasoning', 'function_call']) })),
  })
  .meta({ id: 'Response' })
const deletedShape = z.object({
  id: z.string(),
  object: z.literal('response'),
  deleted: z.literal(true),
})
const tokensShape = z.object({
  object: z.literal('response.input_tokens'),
  input_tokens: z.number().int(),
})

const json = (description: string, schema: z.ZodType): Route['answers'] => ({
  200: { description, content: { 'application/json': schema } },
})
const wholeOrStream = (schema: z.ZodType): Route['answers'] => ({
  200: {
    description: 'The whole answer, or a stream of events if `stream` is true',
    content: { 'application/json': schema, 'text/event-stream': 'text' },
  },
})

const NO_EMBEDDINGS: EmbeddingRunner = {
  models: [],
  embed: () => {
    throw troupeError('embedding_model_unknown', 'No embedding models are served.')
  },
}

/**
 * Creates the headend for the OpenAI API with agents as models. Chat completions and responses are sent whole
 * or streamed; clients see only calls of the tools that they offer. Without `embeddings`, no embedding models are
 * served.
 */
export function createOpenAIHeadend(
  context: HeadendContext,
  runService: Pick<
    RunService,
    'start' | 'view' | 'request' | 'events' | 'addNote' | 'clientCalls' | 'sessions' | 'stop'
  >,
  embeddings: EmbeddingRunner = NO_EMBEDDINGS,
): Headend {
  const clientRuns = createClientRuns(context, runService)
  const background = createBackgroundResponses(runService, context.clock)
  const stored = { runService, background, clock: context.clock }
  const conversations = { ...context, runService, sessions: runService.sessions }
  return {
    name: 'openai',
    toError: openAIError,
    ...routes(
      {
        '/openai/v1/models': {
          GET: {
            id: 'listModels',
            summary: 'List the served agents as models',
            answers: json('The models', z.object({ object: z.literal('list'), data: z.array(modelShape) })),
            handler: () => Response.json({ object: 'list', data: context.runner.agents().map(openAIModel) }),
          },
        },
        '/openai/v1/models/:model': {
          GET: {
            id: 'readModel',
            summary: 'Get an agent as a model',
            answers: json('The model', modelShape),
            errors: [404],
            handler: modelHandler(context),
          },
        },
        '/openai/v1/chat/completions': {
          POST: {
            id: 'createChatCompletion',
            summary: 'Create a chat completion with an agent',
            body: chatCompletionRequest,
            answers: wholeOrStream(completionShape),
            errors: RUN_ERRORS,
            handler: answerChatCompletion(context, clientRuns),
          },
        },
        '/openai/v1/embeddings': {
          POST: {
            id: 'createEmbeddings',
            summary: 'Convert texts to vectors with a model that the server lists',
            body: embeddingsRequest,
            answers: json('The vectors', embeddingsShape),
            errors: RUN_ERRORS,
            handler: withErrorResponse(embeddingsHandler(embeddings), openAIError),
          },
        },
        '/openai/v1/responses': {
          POST: {
            id: 'createResponse',
            summary: 'Create a response with an agent',
            body: responsesRequest,
            answers: wholeOrStream(responseShape),
            errors: RUN_ERRORS,
            handler: withErrorResponse(
              answerResponses({ ...context, clientRuns, runService, background }),
              openAIError,
            ),
          },
        },
        '/openai/v1/responses/input_tokens': {
          POST: {
            id: 'countInputTokens',
            summary: 'Estimate the number of tokens in the input of a response',
            body: inputTokensRequest,
            answers: json('The number of tokens', tokensShape),
            errors: [404],
            handler: inputTokensHandler(context),
          },
        },
        '/openai/v1/responses/compact': { POST: compactHandler() },
        '/openai/v1/responses/:id': {
          GET: {
            id: 'readResponse',
            summary: 'Get a stored response of the caller, or stream its events again',
            query: readQueryShape,
            answers: wholeOrStream(responseShape),
            errors: [400, 404],
            handler: withErrorResponse(readHandler(stored), openAIError),
          },
          DELETE: {
            id: 'deleteResponse',
            summary: 'Delete a stored response of the caller',
            answers: json('The response was deleted', deletedShape),
            errors: [400, 404, 409],
            handler: withErrorResponse(deleteHandler(stored), openAIError),
          },
        },
        '/openai/v1/responses/:id/cancel': {
          POST: {
            id: 'cancelResponse',
            summary: 'Cancel a background response of the caller',
            answers: json('The response in its last state', responseShape),
            errors: [400, 404],
            handler: withErrorResponse(cancelHandler(stored), openAIError),
          },
        },
        '/openai/v1/responses/:id/input_items': {
          GET: {
            id: 'listInputItems',
            summary: 'List the input items of a stored response of the caller',
            query: itemsQueryShape,
            answers: json('A page of items', itemsShape),
            errors: [400, 404],
            handler: withErrorResponse(inputItemsHandler(stored), openAIError),
          },
        },
        '/openai/v1/conversations': {
          POST: {
            id: 'createConversation',
            summary: 'Create a conversation',
            body: conversationBody,
            answers: json('The conversation', conversationShape),
            handler: withErrorResponse(createConversationHandler(conversations), openAIError),
          },
        },
        '/openai/v1/conversations/:id': {
          GET: {
            id: 'readConversation',
            summary: 'Get a conversation of the caller',
            answers: json('The conversation', conversationShape),
            errors: [404],
            handler: withErrorResponse(readConversationHandler(conversations), openAIError),
          },
          POST: {
            id: 'updateConversation',
            summary: 'Replace the metadata of a conversation of the caller',
            body: conversationUpdate,
            answers: json('The conversation', conversationShape),
            errors: [404, 409],
            handler: withErrorResponse(updateConversationHandler(conversations), openAIError),
          },
          DELETE: {
            id: 'deleteConversation',
            summary: 'Delete a conversation of the caller, without its runs',
            answers: json('The conversation was deleted', deletedConversationShape),
            errors: [404, 409],
            handler: withErrorResponse(deleteConversationHandler(conversations), openAIError),
          },
        },
        '/openai/v1/conversations/:id/items': {
          GET: {
            id: 'listConversationItems',
            summary: 'List the items of a conversation of the caller',
            query: itemsQueryShape,
            answers: json('A page of items', itemsShape),
            errors: [404],
            handler: withErrorResponse(conversationItemsHandler(conversations), openAIError),
          },
          POST: fixedItemsHandler(),
        },
        '/openai/v1/conversations/:id/items/:item': {
          GET: {
            id: 'readConversationItem',
            summary: 'Get an item of a conversation of the caller',
            answers: json('The item', itemShape),
            errors: [404],
            handler: withErrorResponse(conversationItemHandler(conversations), openAIError),
          },
          DELETE: fixedItemsHandler(),
        },
      },
      { tag: 'OpenAI', error: errorFormat, ...context, toError: openAIError },
    ),
    drain: clientRuns.drain,
    close: async () => background.close(),
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/openai/v1`
      const body = { model: agent, messages: [{ role: 'user', content: message }] }
      return [
        { title: 'OpenAI', url, command: postCommand(`${url}/chat/completions`, body, { credentials }) },
      ]
    },
  }
}

function modelHandler({ runner }: HeadendContext): Handler {
  return ({ req }) => {
    const agent = servedAgent(runner, req.param('model'))
    return isFailure(agent) ? openAIError(agent) : Response.json(openAIModel(agent))
  }
}

/** Returns an agent as an OpenAI model. */
function openAIModel({ name }: Pick<AgentDefinition, 'name'>): Readonly<Record<string, unknown>> {
  return { id: name, object: 'model', created: 0, owned_by: 'troupe' }
}
