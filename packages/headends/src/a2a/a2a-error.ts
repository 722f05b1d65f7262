import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { JsonRpcTransportHandler } from '@a2a-js/sdk/server'
import type { Failure } from '@troupe/schema'
import { retryHeader } from '../error-response.ts'
import { statusOf } from '../status-of.ts'
import { isLegacy } from './version-of.ts'

/** JSON-RPC: the request is none. */
const INVALID_REQUEST = -32_600

/** What is thrown while a request is answered, as the error of a JSON-RPC answer. */
export function rpcError(thrown: unknown, version: string): unknown {
  return isLegacy(version)
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(thrown)
    : JsonRpcTransportHandler.mapToJSONRPCError(thrown)
}

/** The answer to a request that cannot be read, or is for no agent: JSON-RPC in its body, and a status that says as much. */
export function a2aError(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  const { class: kind, code, message, remediation } = reason
  const info = new RequestMalformedError({ metadata: { class: kind, code, remediation } }).toErrorInfo()
  const error = { code: INVALID_REQUEST, message: `${message} ${remediation}`, data: [info] }
  return Response.json(
    { jsonrpc: '2.0', id: null, error },
    { status: statusOf(reason), headers: { ...retryHeader(reason), ...headers } },
  )
}
