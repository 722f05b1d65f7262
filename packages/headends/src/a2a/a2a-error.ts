import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import {
  A2A_ERROR_CODE,
  ContentTypeNotSupportedError,
  RequestMalformedError,
  restStatusFor,
  toRestErrorBody,
  type A2AError,
} from '@a2a-js/sdk/errors'
import { JsonRpcTransportHandler } from '@a2a-js/sdk/server'
import type { Failure } from '@troupe/schema'
import { retryHeader, statusOf } from '../headend/errors.ts'
import type { ErrorFormat } from '../headend/headend.ts'

/** Converts a thrown error to the error of a JSON-RPC response. */
export function rpcError(thrown: unknown, version: string): unknown {
  return isLegacy(version)
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(thrown)
    : JsonRpcTransportHandler.mapToJSONRPCError(thrown)
}

/**
 * Creates the response to a request that is invalid, rejected or for an unknown agent, in the format of the
 * binding that the path belongs to.
 */
export const a2aError: ErrorFormat = (reason, headers = {}, path = '') =>
  isRestPath(path) ? restFailure(reason, headers) : rpcFailure(reason, { headers })

/** Returns true for the paths of the HTTP+JSON binding, which are below the address of an agent. */
function isRestPath(path: string): boolean {
  return /^\/a2a\/[^/]+\/(?!\.well-known\/)./u.test(path)
}

/** Creates the response to a request that failed, with a JSON-RPC error as body. */
export function rpcFailure(
  reason: Failure,
  {
    rpcCode = reason.code === 'request_media_type'
      ? A2A_ERROR_CODE.CONTENT_TYPE_NOT_SUPPORTED
      : A2A_ERROR_CODE.INVALID_REQUEST,
    headers = {},
  }: { readonly rpcCode?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const converted = toA2AError(reason)
  const error = { code: rpcCode, message: converted.message, data: [converted.toErrorInfo()] }
  return Response.json(
    { jsonrpc: '2.0', id: null, error },
    { status: statusOf(reason), headers: { ...retryHeader(reason), ...headers } },
  )
}

/** Creates the response to a body that is not JSON. */
export function rpcParseError(reason: Failure): Response {
  return rpcFailure(reason, { rpcCode: A2A_ERROR_CODE.PARSE_ERROR })
}

/** Creates the response to JSON that is not a JSON-RPC request. */
export function invalidRequest(message: string, id: string | number | null): Response {
  return Response.json({
    jsonrpc: '2.0',
    id,
    error: { code: A2A_ERROR_CODE.INVALID_REQUEST, message },
  })
}

/** Creates the response of the HTTP+JSON binding to a request that failed before it reached an operation. */
export function restFailure(reason: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  const status = statusOf(reason)
  const { error } = toRestErrorBody(toA2AError(reason), status)
  return Response.json(
    { error: { ...error, status: STATUS_NAMES.get(status) ?? error.status } },
    { status, headers: { ...retryHeader(reason), ...headers } },
  )
}

/** Creates the response of the HTTP+JSON binding to an error that an operation threw. */
export function restError(thrown: unknown): Response {
  const status = restStatusFor(thrown)
  return Response.json(toRestErrorBody(thrown, status), { status })
}

/** Names of `google.rpc.Code` for statuses that no error of A2A has. */
const STATUS_NAMES: ReadonlyMap<number, string> = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [405, 'UNIMPLEMENTED'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
])

/** Converts a failure to an error of the SDK. */
export function toA2AError({ class: kind, code, message, remediation }: Failure): A2AError {
  const options = { message: `${message} ${remediation}`, metadata: { class: kind, code, remediation } }
  return code === 'request_media_type'
    ? new ContentTypeNotSupportedError(options)
    : new RequestMalformedError(options)
}

/** Version of clients that name none, as clients before 1.0 do. */
const LEGACY = '0.3'

/** Returns the A2A version of a request: that of the header `A2A-Version`, or of the query parameter. */
export function versionOf({ headers, url }: Pick<Request, 'headers' | 'url'>): string {
  const version = headers.get('a2a-version')?.trim() ?? ''
  if (version !== '') return version
  const parameter = new URL(url).searchParams.get('A2A-Version')?.trim() ?? ''
  return parameter === '' ? LEGACY : parameter
}

/** Returns true for the version before 1.0. */
export function isLegacy(version: string): boolean {
  return version === LEGACY
}
