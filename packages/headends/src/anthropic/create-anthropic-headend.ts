import type { AgentDefinition } from '@troupe/schema'
import { z } from 'zod'
import { modelAnswerOf } from '../client-runs/answer-text.ts'
import { createClientRuns, type ClientRuns } from '../client-calls/client-runs.ts'
import { isWaitingAnswer } from '../client-calls/collect-answer.ts'
import { collectReasoning, planModelRun, prepareModelRun, readModelCall } from '../client-calls/model-run.ts'
import { estimateTokens } from '../client-runs/estimate-tokens.ts'
import { servedAgent, startRunStream } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import { type Handler, type Headend, type HeadendContext, postCommand } from '../headend/headend.ts'
import { readJson } from '../request/read-json.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import type { RunService } from '../run-service/run-service.ts'
import { routes, type Route } from '../routes/routes.ts'
import { eventStream, createSseBuffer } from '../sse/event-stream.ts'
import { anthropicError, anthropicRunError } from './anthropic-error.ts'
import { messageObject, streamMessage, type MessageBase } from './message.ts'
import {
  countRequest,
  messagesRequest,
  requestText,
  anthropicMessages,
  anthropicOutput,
  anthropicThinking,
  anthropicTools,
} from './messages-request.ts'

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
  content: z.array(z.looseObject({ type: z.enum(['thinking', 'text', 'tool_use']) })),
  stop_reason: z.enum(['end_turn', 'max_tokens', 'tool_use', 'refusal']),
  usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
})

const json = (description: string, schema: z.ZodType): Route['answers'] => ({
  200: { description, content: { 'application/json': schema } },
})

/**
 * Creates the headend for the Anthropic API with agents as models. Messages are sent whole or streamed;
 * clients see only calls of the tools that they offer.
 */
export function createAnthropicHeadend(
  context: HeadendContext,
  runService: Pick<RunService, 'clientCalls' | 'stop'>,
): Headend {
  const clientRuns = createClientRuns(context, runService)
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
            handler: answerMessages(context, clientRuns),
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
    drain: clientRuns.drain,
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

function countHandler(context: HeadendContext, toError: typeof anthropicError): Handler {
  return async ({ req }) => {
    const read = await readJson(req.raw, countRequest)
    if (!read.ok) return toError(read.reason)
    const agent = servedAgent(context.runner, read.value.model)
    if (isFailure(agent)) return toError(agent)
    const count = estimateTokens(`${agent.instruction}\n${requestText(read.value)}`)
    return Response.json({ input_tokens: count }, { headers: requestId(context) })
  }
}

/**
 * Handles `POST /anthropic/v1/messages`. The model is the name of an agent, and the client sends the
 * conversation.
 */
function answerMessages(context: HeadendContext, clientRuns: ClientRuns): Handler {
  return async ({ req, env: { caller } }) => {
    const runId = context.newId('run')
    const requestId = { 'request-id': runId }
    const call = await readModelCall(req.raw, {
      schema: messagesRequest,
      toMessages: anthropicMessages,
      toTools: anthropicTools,
      runner: context.runner,
    })
    if (isFailure(call)) return anthropicError(call, requestId)
    const { body } = call
    const base: MessageBase = { id: `msg_${runId}`, model: body.model }
    const thinking = anthropicThinking(body)
    const planned = await planModelRun(
      { ...call, outputOptions: anthropicOutput(body), runId },
      caller,
      clientRuns,
    )
    if (isFailure(planned)) return anthropicError(planned, requestId)
    const ready = prepareModelRun(planned, { request: req.raw, caller }, clientRuns)
    const headers = { 'troupe-run-id': ready.runId, ...requestId }
    if (body.stream === true) {
      const started = await startRunStream(ready.run)
      if ('refusal' in started) return anthropicError(started.refusal, headers)
      const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
      streamMessage(started, buffer, { base, thinking, clock: context.clock, isWhole: ready.isJson })
      return eventStream(buffer, { clock: context.clock, caller, headers })
    }
    const { end, reasoning } = await collectReasoning(ready, thinking !== undefined)
    const report = isWaitingAnswer(end) ? end : modelAnswerOf(end)
    return isFailure(report)
      ? anthropicRunError(report, { headers, now: context.clock.now() })
      : Response.json(messageObject(base, report, { thinking, reasoning }), { headers })
  }
}
