import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { JsonRpcTransportHandler } from '@a2a-js/sdk/server'
import type { Failure } from '@troupe/schema'
import { retryHeader } from '../error-response.ts'
import { statusOf } from '../status-of.ts'
import { isLegacy } from './version-of.ts'

/** JSON-RPC: the request is none. */
const INVALID_REQUEST = -32_600
/** JSON-RPC: the body is no JSON. */
const PARSE_ERROR = -32_700

/** What is thrown while a request is answered, as the error of a JSON-RPC answer. */
export function rpcError(thrown: unknown, version: string): unknown {
  return isLegacy(version)
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(thrown)
    : JsonRpcTransportHandler.mapToJSONRPCError(thrown)
}

/** The answer to a request that is none, is not let in, or is for no agent: JSON-RPC in its body, and a status that says as much. */
export function a2aError(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  return refusal(reason, { rpcCode: INVALID_REQUEST, headers })
}

/** The answer to a body of which no JSON can be made. */
export function a2aParseError(reason: Failure): Response {
  return refusal(reason, { rpcCode: PARSE_ERROR })
}

/** The answer to JSON that is no request of JSON-RPC. */
export function invalidRequest(message: string, id: string | number | null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } })
}

function refusal(
  reason: Failure,
  { rpcCode, headers }: { readonly rpcCode: number; readonly headers?: Readonly<Record<string, string>> },
): Response {
  const { class: kind, code, message, remediation } = reason
  const info = new RequestMalformedError({ metadata: { class: kind, code, remediation } }).toErrorInfo()
  const error = { code: rpcCode, message: `${message} ${remediation}`, data: [info] }
  return Response.json(
    { jsonrpc: '2.0', id: null, error },
    { status: statusOf(reason), headers: { ...retryHeader(reason), ...headers } },
  )
}
