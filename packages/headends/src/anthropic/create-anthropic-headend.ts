import type { AgentDefinition } from '@troupe/schema'
import { z } from 'zod'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { Handler, Headend, HeadendContext } from '../headend/headend.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { routes, type Route } from '../routes/routes.ts'
import { postCommand } from '../headend/shell-quote.ts'
import { readJson } from '../request/read-json.ts'
import { answerMessages } from './answer-messages.ts'
import { anthropicError } from './anthropic-error.ts'
import { countRequest, messagesRequest, requestText } from './messages-request.ts'

const errorFormat = z
  .looseObject({ error: z.looseObject({ message: z.string() }) })
  .meta({ id: 'AnthropicError' })
const modelShape = z.object({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string(),
})
const modelsShape = z.object({
  data: z.array(modelShape),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})
const messageShape = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.literal('text'), text: z.string() })),
  stop_reason: z.enum(['end_turn', 'max_tokens']),
  usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
})

const json = (description: string, schema: z.ZodType): Route['answers'] => ({
  200: { description, content: { 'application/json': schema } },
})

/**
 * Creates the headend for the Anthropic API with agents as models. Messages are sent whole or streamed;
 * clients do not see the tool calls of agents.
 */
export function createAnthropicHeadend(context: HeadendContext): Headend {
  const toError: typeof anthropicError = (reason, headers) =>
    anthropicError(reason, { ...requestId(context), ...headers })
  return {
    name: 'anthropic',
    toError,
    ...routes(
      {
        '/anthropic/v1/models': {
          GET: {
            id: 'listAgentModels',
            summary: 'List the served agents as models',
            answers: json('The models', modelsShape),
            handler: () => Response.json(modelList(context.runner.agents()), { headers: requestId(context) }),
          },
        },
        '/anthropic/v1/models/:model': {
          GET: {
            id: 'readAgentModel',
            summary: 'Get an agent as a model',
            answers: json('The model', modelShape),
            errors: [404],
            handler: modelHandler(context, toError),
          },
        },
        '/anthropic/v1/messages': {
          POST: {
            id: 'createMessage',
            summary: 'Create a message with an agent',
            body: messagesRequest,
            answers: {
              200: {
                description: 'The whole answer, or a stream of events if `stream` is true',
                content: { 'application/json': messageShape, 'text/event-stream': 'text' },
              },
            },
            errors: [...RUN_ERRORS, 529],
            handler: answerMessages(context),
          },
        },
        '/anthropic/v1/messages/count_tokens': {
          POST: {
            id: 'countTokens',
            summary: 'Estimate the number of tokens in a message',
            body: countRequest,
            answers: json('The number of tokens', z.object({ input_tokens: z.number().int() })),
            errors: [404],
            handler: countHandler(context, toError),
          },
        },
      },
      { tag: 'Anthropic', error: errorFormat, ...context, toError },
    ),
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/anthropic`
      const body = { model: agent, max_tokens: 1024, messages: [{ role: 'user', content: message }] }
      return [{ title: 'Anthropic', url, command: postCommand(`${url}/v1/messages`, body, { credentials }) }]
    },
  }
}

function modelList(agents: readonly AgentDefinition[]): Readonly<Record<string, unknown>> {
  const data = agents.map(toModel)
  return { data, has_more: false, first_id: agents[0]?.name ?? null, last_id: agents.at(-1)?.name ?? null }
}

function toModel({ name }: AgentDefinition): Readonly<Record<string, unknown>> {
  return { type: 'model', id: name, display_name: name, created_at: '1970-01-01T00:00:00Z' }
}

/** Returns the header with a request id, which clients quote in error reports. */
function requestId({ newId }: Pick<HeadendContext, 'newId'>): { readonly 'request-id': string } {
  return { 'request-id': newId('req') }
}

function modelHandler(context: HeadendContext, toError: typeof anthropicError): Handler {
  return ({ req }) => {
    const agent = servedAgent(context.runner, req.param('model'))
    return isFailure(agent) ? toError(agent) : Response.json(toModel(agent), { headers: requestId(context) })
  }
}

/** Estimated bytes per token, because the real count depends on the agent's model. */
const BYTES_A_TOKEN = 4

function countHandler(context: HeadendContext, toError: typeof anthropicError): Handler {
  return async ({ req }) => {
    const read = await readJson(req.raw, countRequest)
    if (!read.ok) return toError(read.reason)
    const agent = servedAgent(context.runner, read.value.model)
    if (isFailure(agent)) return toError(agent)
    const bytes = new TextEncoder().encode(`${agent.instruction}\n${requestText(read.value)}`).length
    return Response.json({ input_tokens: Math.ceil(bytes / BYTES_A_TOKEN) }, { headers: requestId(context) })
  }
}
