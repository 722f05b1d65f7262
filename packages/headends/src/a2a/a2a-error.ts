import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { JsonRpcTransportHandler } from '@a2a-js/sdk/server'
import type { Failure } from '@troupe/schema'
import { retryHeader, statusOf } from '../headend/errors.ts'

/** JSON-RPC error code of an invalid request. */
const INVALID_REQUEST = -32_600
/** JSON-RPC error code of a body that is not JSON. */
const PARSE_ERROR = -32_700

/** Converts a thrown error to the error of a JSON-RPC response. */
export function rpcError(thrown: unknown, version: string): unknown {
  return isLegacy(version)
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(thrown)
    : JsonRpcTransportHandler.mapToJSONRPCError(thrown)
}

/**
 * Creates the response to a request that is invalid, rejected or for an unknown agent, with a JSON-RPC error
 * as body.
 */
export function a2aError(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  return refusal(reason, { rpcCode: INVALID_REQUEST, headers })
}

/** Creates the response to a body that is not JSON. */
export function a2aParseError(reason: Failure): Response {
  return refusal(reason, { rpcCode: PARSE_ERROR })
}

/** Creates the response to JSON that is not a JSON-RPC request. */
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

/** Version of clients that name none, as clients before 1.0 do. */
const LEGACY = '0.3'

/** Returns the A2A version of a request. */
export function versionOf(request: Request): string {
  const version = request.headers.get('a2a-version')?.trim() ?? ''
  return version === '' ? LEGACY : version
}

/** Returns true for the version before 1.0. */
export function isLegacy(version: string): boolean {
  return version === LEGACY
}
