import { type AgentDefinition, isJsonObject } from '@troupe/schema'
import { z } from 'zod'
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import {
  type HandlerContext,
  type Handler,
  type Headend,
  type HeadendContext,
  type ExampleOptions,
  postCommand,
} from '../headend/headend.ts'
import { routes } from '../routes/routes.ts'
import { checkShape, readJson } from '../request/read-json.ts'
import { eventStream, sseBlock, createSseBuffer, type SseBuffer } from '../sse/event-stream.ts'
import { a2aError, rpcError, isLegacy, versionOf, a2aParseError, invalidRequest } from './a2a-error.ts'
import { cardResponse, toAgentCard } from './agent-card.ts'
import { createTaskHandler, type TaskRequest } from './task-handler.ts'
import { createTaskStore, type TaskStore } from './task-store.ts'

type RpcAnswer = Awaited<ReturnType<JsonRpcTransportHandler['handle']>>

/** Handles a JSON-RPC request to an agent, in the protocol version that it names. */
async function answerRpc(
  request: Request,
  task: Omit<TaskRequest, 'signal'>,
  services: { readonly taskStore: TaskStore; readonly context: HeadendContext },
): Promise<Response> {
  const version = versionOf(request)
  const read = await readRpc(request)
  if (!read.ok) return read.answer
  const handler = createTaskHandler({ ...task, signal: request.signal }, services)
  const Transport = isLegacy(version) ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler
  const call = new ServerCallContext({ requestedVersion: version })
  const { id = null } = read.value
  const formatError = (thrown: unknown): unknown => ({ jsonrpc: '2.0', id, error: rpcError(thrown, version) })
  let answer: RpcAnswer
  try {
    validateVersion(version, toAgentCard(task.agent, task.url), 'JSONRPC')
    checkParts(read.value)
    answer = await new Transport(handler).handle(read.value, call)
  } catch (thrown) {
    return Response.json(formatError(thrown))
  }
  if (!isStream(answer)) return Response.json(answer)
  return streamAnswer(answer, { ...services, caller: task.caller, formatError })
}

/** Streams the results of a call. An error before the first one is sent as a plain JSON response. */
async function streamAnswer(
  answers: AsyncGenerator<unknown, void, undefined>,
  {
    context,
    caller,
    formatError,
  }: Pick<TaskRequest, 'caller'> & {
    readonly context: HeadendContext
    formatError(thrown: unknown): unknown
  },
): Promise<Response> {
  let first: IteratorResult<unknown, void>
  try {
    first = await answers.next()
  } catch (thrown) {
    return Response.json(formatError(thrown))
  }
  const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
  if (first.done !== true) buffer.push(sseBlock(first.value))
  void forward(answers, buffer, formatError)
  return eventStream(buffer, { clock: context.clock, caller })
}

async function forward(
  answers: AsyncIterable<unknown>,
  buffer: SseBuffer,
  formatError: (thrown: unknown) => unknown,
): Promise<void> {
  try {
    for await (const answer of answers) buffer.push(sseBlock(answer))
  } catch (thrown) {
    buffer.push(sseBlock(formatError(thrown)))
  }
  buffer.end()
}

function isStream(answer: RpcAnswer): answer is Extract<RpcAnswer, AsyncGenerator> {
  return Symbol.asyncIterator in answer
}

/** Throws for message parts that are not objects, which the SDK does not check. */
function checkParts({ params }: RpcRequest): void {
  const message = isJsonObject(params) ? params['message'] : undefined
  const parts = isJsonObject(message) ? message['parts'] : undefined
  if (Array.isArray(parts) && !parts.every(isJsonObject))
    throw new RequestMalformedError('message.parts: every part must be an object.')
}

/** A JSON-RPC request. */
interface RpcRequest {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly id?: string | number | null | undefined
  readonly [key: string]: unknown
}

const anyObject = z.record(z.string(), z.unknown())
const id = z.union([z.string(), z.number().int(), z.null()])
const rpcCall: z.ZodType<RpcRequest> = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: z.string().min(1),
  id: id.optional(),
})

/** Reads a JSON-RPC request, or returns the error response. */
async function readRpc(
  request: Request,
): Promise<
  { readonly ok: true; readonly value: RpcRequest } | { readonly ok: false; readonly answer: Response }
> {
  const json = await readJson(request, z.unknown())
  if (!json.ok) {
    const { reason } = json
    return { ok: false, answer: reason.code === 'request_invalid' ? a2aParseError(reason) : a2aError(reason) }
  }
  const object = checkShape(json.value, anyObject)
  if (!object.ok) return { ok: false, answer: a2aError(object.reason) }
  const read = checkShape(object.value, rpcCall)
  if (read.ok) return read
  const parsedId = id.safeParse(object.value['id'])
  return { ok: false, answer: invalidRequest(read.reason.message, parsedId.success ? parsedId.data : null) }
}

const CARD = '/.well-known/agent-card.json'

const rpcId = z.union([z.string(), z.number(), z.null()])
const rpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: rpcId.optional(),
  method: z
    .string()
    .meta({ description: 'A method of A2A 1.0, such as `SendMessage`, or of 0.3, such as `message/send`.' }),
  params: z.record(z.string(), z.unknown()).optional(),
})
const error = z.looseObject({ code: z.number(), message: z.string() })
const rpcAnswer = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: rpcId.optional(),
  result: z.unknown().optional(),
  error: error.optional(),
})
const errorAnswer = z.looseObject({ jsonrpc: z.literal('2.0'), error }).meta({ id: 'A2AError' })
const agentCard = z
  .looseObject({ name: z.string(), description: z.string(), skills: z.array(z.looseObject({})) })
  .meta({ id: 'AgentCard' })
/** Description of the requests for cards. */
const CARD_ROUTE = {
  answers: { 200: { description: 'The agent card', content: { 'application/json': agentCard } } },
  errors: [404],
}

/**
 * Creates the headend for A2A 1.0, and for 0.3 if a client names no version. A task is a run, and a context
 * is a conversation.
 */
export function createA2AHeadend(context: HeadendContext): Headend {
  const taskStore = createTaskStore()
  const services = { taskStore: taskStore, context }
  const forAgent =
    (answer: (call: HandlerContext, task: TaskRequest) => Promise<Response>): Handler =>
    (call) => {
      const agent = servedAgent(context.runner, call.req.param('agent'))
      return isFailure(agent) ? a2aError(agent) : answer(call, taskRequest(agent, call, context))
    }
  const card = forAgent((call, task) => cardResponse(call.req.raw, createTaskHandler(task, services)))
  return {
    name: 'a2a',
    toError: a2aError,
    ...routes(
      {
        [CARD]: {
          GET: {
            id: 'readEntryCard',
            summary: 'Get the agent card of the entry agent',
            ...CARD_ROUTE,
            handler: card,
          },
        },
        [`/a2a/:agent${CARD}`]: {
          GET: {
            id: 'readAgentCard',
            summary: 'Get the agent card of an agent',
            ...CARD_ROUTE,
            handler: card,
          },
        },
        '/a2a/:agent': {
          POST: {
            id: 'callA2a',
            summary: 'Send a JSON-RPC request to an agent',
            body: rpcRequest,
            answers: {
              200: {
                description:
                  'The response, which may be a JSON-RPC error; a stream of responses if the method streams',
                content: { 'application/json': rpcAnswer, 'text/event-stream': 'text' },
              },
            },
            errors: [404],
            handler: forAgent((call, task) => answerRpc(call.req.raw, task, services)),
          },
        },
      },
      { tag: 'A2A', error: errorAnswer, ...context, toError: a2aError },
    ),
    examples: a2aExamples,
    drain: taskStore.drain,
    close: taskStore.close,
  }
}

function taskRequest(
  agent: AgentDefinition,
  { req, env }: HandlerContext,
  { publicUrl = new URL(req.url).origin }: Pick<HeadendContext, 'publicUrl'>,
): TaskRequest {
  return {
    agent,
    url: `${publicUrl}/a2a/${encodeURIComponent(agent.name)}`,
    caller: env.caller,
    signal: req.raw.signal,
  }
}

function a2aExamples({
  origin,
  agent,
  message,
  credentials,
}: ExampleOptions): ReturnType<NonNullable<Headend['examples']>> {
  const url = `${origin}/a2a/${encodeURIComponent(agent)}`
  const params = { message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: message }] } }
  const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params }
  const version = `-H 'A2A-Version: 1.0' `
  return [{ title: 'A2A', url, command: postCommand(url, body, { credentials: `${credentials}${version}` }) }]
}
