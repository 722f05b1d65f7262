import { A2A_CONTENT_TYPE } from '@a2a-js/sdk'
import { fromJsonRpcErrorResponse, restStatusFor, toRestErrorBody } from '@a2a-js/sdk/errors'
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server'
import { toFailure, TroupeError } from '@troupe/schema'
import { z } from 'zod'
import type { HandlerContext, Operation } from '../headend/headend.ts'
import { accepts, jsonObject, readQuery, requireJson } from '../request/read-json.ts'
import { sseBlock } from '../sse/event-stream.ts'
import { restError, restFailure, versionOf } from './a2a-error.ts'
import { findOperation, queryOf, REST_OPERATIONS, type FoundOperation } from './rest-operations.ts'
import { checkParts, isStream, streamAnswer, type RpcAnswer } from './stream-answer.ts'
import { createTaskHandler, type TaskRequest, type A2AServices } from './task-handler.ts'

/**
 * Handles a request of the HTTP+JSON binding. The handler of the SDK needs Express. Parameters and results are
 * the same JSON as those of the JSON-RPC binding, so its handler runs the operation.
 */
export async function answerRest(
  { req: { raw: request, path } }: HandlerContext,
  task: TaskRequest,
  services: A2AServices,
): Promise<Response> {
  const found = findOperation(request.method, pathBelowAgent(path))
  if ('reason' in found) return restFailure(found.reason, found.headers)
  const { operation } = found
  const version = versionOf(request)
  const handler = createTaskHandler(task, services)
  let answer: RpcAnswer
  try {
    validateVersion(version, await handler.getAgentCard(), 'HTTP+JSON')
    const params = await readParams(request, found)
    answer = await new JsonRpcTransportHandler(handler).handle(
      { jsonrpc: '2.0', id: 0, method: operation.method, params },
      new ServerCallContext({ requestedVersion: version }),
    )
  } catch (thrown) {
    return toErrorAnswer(thrown)
  }
  if (isStream(answer))
    return streamAnswer(answer, {
      caller: task.caller,
      clock: services.context.clock,
      toData: (one) => (one as { readonly result: unknown }).result,
      toErrorAnswer,
      toErrorBlock: (thrown) => sseBlock(toRestErrorBody(thrown, restStatusFor(thrown)), { event: 'error' }),
    })
  if (answer.error !== undefined)
    return restError(fromJsonRpcErrorResponse(answer as Parameters<typeof fromJsonRpcErrorResponse>[0]))
  const { status = 200 } = operation
  if (status === 204) return new Response(null, { status })
  const type = accepts(request, [A2A_CONTENT_TYPE, 'application/json']) ?? A2A_CONTENT_TYPE
  return Response.json(answer.result, { status, headers: { 'content-type': type } })
}

/** Returns the part of a path after `/a2a/:agent`. */
function pathBelowAgent(path: string): string {
  return `/${path.split('/').slice(3).join('/')}`
}

/** Reads the parameters of an operation. Those of the path take precedence over those of the body. */
async function readParams(
  request: Request,
  { operation, params }: FoundOperation,
): Promise<Readonly<Record<string, unknown>>> {
  const { 'A2A-Version': _, ...query } = readQuery(request.url, queryOf(operation))
  const body = operation.body === undefined ? {} : await requireJson(request, jsonObject)
  checkParts(body)
  return { ...body, ...query, ...params }
}

function toErrorAnswer(thrown: unknown): Response {
  return thrown instanceof TroupeError ? restFailure(toFailure(thrown)) : restError(thrown)
}

const anyObject = z.looseObject({})

/** Describes the operations for the OpenAPI document. */
export function restOperations(error: z.ZodType): readonly Operation[] {
  return REST_OPERATIONS.map((operation) => {
    const { id, summary, verb, path, body, status = 200, streams = false } = operation
    return {
      method: verb,
      path: `/a2a/:agent${path}`,
      id,
      summary,
      tag: 'A2A',
      query: queryOf(operation),
      ...(body === undefined ? {} : { body }),
      answers: {
        [status]:
          status === 204
            ? { description: 'Deleted' }
            : streams
              ? { description: 'A stream of `StreamResponse`', content: { 'text/event-stream': 'text' } }
              : { description: 'The result', content: { [A2A_CONTENT_TYPE]: anyObject } },
      },
      errors: [404],
      error,
    }
  })
}
