import type { AgentDefinition, RunReport, Failure } from '@troupe/schema'
import { z } from 'zod'
import { answerOf, createAnswerText } from '../client-runs/answer-text.ts'
import { createClientRuns, type ClientRuns } from '../client-calls/client-runs.ts'
import {
  isWaitingAnswer,
  type ClientCall,
  type ModelRunEnd,
  type WaitingAnswer,
} from '../client-calls/collect-answer.ts'
import { prepareModelRun, readModelCall } from '../client-calls/model-run.ts'
import { servedAgent, startRunStream, type RunStream } from '../client-runs/run-for-caller.ts'
import { isFailure, retryHeader, statusOf } from '../headend/errors.ts'
import { type Handler, type Headend, type HeadendContext, postCommand } from '../headend/headend.ts'
import { readJson } from '../request/read-json.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import type { RunService } from '../run-service/run-service.ts'
import { routes, type Route } from '../routes/routes.ts'
import { eventStream, sseBlock, createSseBuffer, type SseBuffer } from '../sse/event-stream.ts'
import {
  countRequest,
  messagesRequest,
  requestText,
  anthropicMessages,
  anthropicOutput,
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
  content: z.array(z.looseObject({ type: z.enum(['text', 'tool_use']) })),
  stop_reason: z.enum(['end_turn', 'max_tokens', 'tool_use']),
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

/** Estimated bytes per token, because the real count depends on the agent's model. */
const BYTES_PER_TOKEN = 4

function countHandler(context: HeadendContext, toError: typeof anthropicError): Handler {
  return async ({ req }) => {
    const read = await readJson(req.raw, countRequest)
    if (!read.ok) return toError(read.reason)
    const agent = servedAgent(context.runner, read.value.model)
    if (isFailure(agent)) return toError(agent)
    const bytes = new TextEncoder().encode(`${agent.instruction}\n${requestText(read.value)}`).length
    return Response.json(
      { input_tokens: Math.ceil(bytes / BYTES_PER_TOKEN) },
      { headers: requestId(context) },
    )
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
    const ready = await prepareModelRun(
      { ...call, outputOptions: anthropicOutput(body), runId },
      { request: req.raw, caller },
      clientRuns,
    )
    if (isFailure(ready)) return anthropicError(ready, requestId)
    const headers = { 'troupe-run-id': ready.runId, ...requestId }
    if (body.stream === true) {
      const started = await startRunStream(ready.run)
      if ('refusal' in started) return anthropicError(started.refusal, headers)
      const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
      streamMessage(started, buffer, { base, isWhole: ready.isJson })
      return eventStream(buffer, { clock: context.clock, caller, headers })
    }
    const end = await ready.run()
    const report = isWaitingAnswer(end) ? end : answerOf(end)
    return isFailure(report)
      ? anthropicError(report, headers)
      : Response.json(messageObject(base, report), { headers })
  }
}

/** The fields of a message that are known before its content. */
interface MessageBase {
  readonly id: string
  /** Model name as the client sent it. */
  readonly model: string
}

/** Creates a whole message. */
function messageObject(base: MessageBase, end: RunReport | WaitingAnswer): Readonly<Record<string, unknown>> {
  const { text, calls } = isWaitingAnswer(end) ? end : { text: end.output.text ?? '', calls: [] }
  return {
    ...emptyMessage(base),
    content: [
      ...(text === '' ? [] : [{ type: 'text', text, citations: null }]),
      ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
    ],
    stop_reason: stopOf(end),
    usage: usageOf(end),
  }
}

/** Streams a message with one text block, which is opened at the first text, and a block for each call. */
function streamMessage(
  { listen, end }: RunStream<ModelRunEnd>,
  buffer: Pick<SseBuffer, 'push' | 'end'>,
  { base, isWhole }: { readonly base: MessageBase; readonly isWhole: boolean },
): void {
  const answer = createAnswerText({ isWhole })
  let isOpen = false
  const send = (type: string, data: object = {}): void =>
    buffer.push(sseBlock({ type, ...data }, { event: type }))
  const sendText = (text: string): void => {
    if (text === '') return
    if (!isOpen)
      send('content_block_start', { index: 0, content_block: { type: 'text', text: '', citations: null } })
    isOpen = true
    send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
  }
  const sendCall = ({ id, name, args }: ClientCall, index: number): void => {
    send('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } })
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(args) }
    send('content_block_delta', { index, delta })
    send('content_block_stop', { index })
  }
  send('message_start', { message: emptyMessage(base) })
  send('ping')
  listen((event) => sendText(answer.read(event)))
  void end.then((last) => {
    const report = isWaitingAnswer(last) ? last : answerOf(last)
    if (isFailure(report)) buffer.push(sseBlock(anthropicErrorBody(report), { event: 'error' }))
    else {
      if (!isWaitingAnswer(report)) sendText(answer.end(report))
      if (isOpen) send('content_block_stop', { index: 0 })
      const calls = isWaitingAnswer(report) ? report.calls : []
      for (const [index, call] of calls.entries()) sendCall(call, index + (isOpen ? 1 : 0))
      send('message_delta', {
        delta: { stop_reason: stopOf(report), stop_sequence: null },
        usage: usageOf(report),
      })
      send('message_stop')
    }
    buffer.end()
  })
}

function emptyMessage({ id, model }: MessageBase): Readonly<Record<string, unknown>> {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  }
}

function stopOf(end: RunReport | WaitingAnswer): 'end_turn' | 'max_tokens' | 'tool_use' {
  if (isWaitingAnswer(end)) return 'tool_use'
  return end.outcome === 'partial' ? 'max_tokens' : 'end_turn'
}

/** Converts usage to Anthropic's format, which counts cached tokens separately. */
function usageOf({ usage }: Pick<WaitingAnswer, 'usage'>): Readonly<Record<string, number>> {
  return {
    input_tokens: Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens),
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
  }
}

/** A failure in Anthropic's format. */
interface AnthropicErrorBody {
  readonly type: 'error'
  readonly error: { readonly type: string; readonly message: string }
}

/** Anthropic's status for an overloaded service. */
const OVERLOADED = 529

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [OVERLOADED, 'overloaded_error'],
])

/** Converts a failure to Anthropic's format. */
function anthropicErrorBody(reason: Failure): AnthropicErrorBody {
  const status = anthropicStatus(reason)
  const type = TYPES.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message: `${reason.message} ${reason.remediation}` } }
}

/**
 * Creates an error response. `x-should-retry: false` keeps official clients from repeating a failed run on
 * their own.
 */
function anthropicError(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  const retry = retryHeader(reason)
  const noRetry = 'retry-after' in retry ? {} : { 'x-should-retry': 'false' }
  return Response.json(anthropicErrorBody(reason), {
    status: anthropicStatus(reason),
    headers: { ...retry, ...noRetry, ...headers },
  })
}

function anthropicStatus(reason: Failure): number {
  return reason.code === 'server_busy' ? OVERLOADED : statusOf(reason)
}
