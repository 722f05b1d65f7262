import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server'
import { z } from 'zod'
import { checkShape, readJson } from '../request/read-json.ts'
import { sseBlock } from '../sse/event-stream.ts'
import { invalidRequest, isLegacy, rpcError, rpcFailure, rpcParseError, versionOf } from './a2a-error.ts'
import { checkParts, isStream, streamAnswer, type RpcAnswer } from './stream-answer.ts'
import { createTaskHandler, type TaskRequest, type A2AServices } from './task-handler.ts'

/** Handles a JSON-RPC request to an agent, in the protocol version that it names. */
export async function answerRpc(
  request: Request,
  task: TaskRequest,
  services: A2AServices,
): Promise<Response> {
  const version = versionOf(request)
  const read = await readRpc(request)
  if (!read.ok) return read.answer
  const handler = createTaskHandler(task, services)
  const Transport = isLegacy(version) ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler
  const { id = null } = read.value
  const toError = (thrown: unknown): unknown => ({ jsonrpc: '2.0', id, error: rpcError(thrown, version) })
  const toErrorAnswer = (thrown: unknown): Response => Response.json(toError(thrown))
  let answer: RpcAnswer
  try {
    validateVersion(version, await handler.getAgentCard(), 'JSONRPC')
    checkParts(read.value['params'])
    answer = await new Transport(handler).handle(
      read.value,
      new ServerCallContext({ requestedVersion: version }),
    )
  } catch (thrown) {
    return toErrorAnswer(thrown)
  }
  if (!isStream(answer)) return Response.json(answer)
  return streamAnswer(answer, {
    caller: task.caller,
    clock: services.context.clock,
    toData: (result) => result,
    toErrorAnswer,
    toErrorBlock: (thrown) => sseBlock(toError(thrown)),
  })
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
    return {
      ok: false,
      answer: reason.code === 'request_invalid' ? rpcParseError(reason) : rpcFailure(reason),
    }
  }
  const object = checkShape(json.value, anyObject)
  if (!object.ok) return { ok: false, answer: rpcFailure(object.reason) }
  const read = checkShape(object.value, rpcCall)
  if (read.ok) return read
  const parsedId = id.safeParse(object.value['id'])
  return { ok: false, answer: invalidRequest(read.reason.message, parsedId.success ? parsedId.data : null) }
}
