import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server'
import { isJsonObject } from '@troupe/schema'
import { z } from 'zod'
import type { HeadendContext } from '../headend/headend.ts'
import { checkShape, readJson } from '../request/read-json.ts'
import { eventStream } from '../sse/event-stream.ts'
import { sseBlock } from '../sse/sse-block.ts'
import { createSseBuffer, type SseBuffer } from '../sse/sse-buffer.ts'
import { rpcError, isLegacy, versionOf, a2aError, a2aParseError, invalidRequest } from './a2a-error.ts'
import { toAgentCard } from './agent-card.ts'
import { createTaskHandler, type TaskRequest } from './task-handler.ts'
import type { TaskStore } from './task-store.ts'

type RpcAnswer = Awaited<ReturnType<JsonRpcTransportHandler['handle']>>

/** Handles a JSON-RPC request to an agent, in the protocol version that it names. */
export async function answerRpc(
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
const rpcRequest: z.ZodType<RpcRequest> = z.looseObject({
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
  const read = checkShape(object.value, rpcRequest)
  if (read.ok) return read
  const parsedId = id.safeParse(object.value['id'])
  return { ok: false, answer: invalidRequest(read.reason.message, parsedId.success ? parsedId.data : null) }
}
