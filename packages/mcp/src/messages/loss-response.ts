import type { JSONRPCErrorResponse } from '@modelcontextprotocol/client'

const SERVER_ERROR = -32_000

/** Reason why a pending response is lost. */
export type LossCode = 'mcp_oversize' | 'mcp_closed'

/** Creates an error response in place of a dropped one, so that only its own call fails. */
export function createLossResponse(
  id: string | number,
  loss: { readonly code: LossCode; readonly message: string },
): JSONRPCErrorResponse {
  return {
    jsonrpc: '2.0',
    id,
    error: { code: SERVER_ERROR, message: loss.message, data: { troupe: loss.code } },
  }
}

/**
 * Returns the loss code in the data of a protocol error, or `undefined` if the error came from the server.
 */
export function lossCode(data: unknown): LossCode | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { troupe } = data as { readonly troupe?: unknown }
  return troupe === 'mcp_oversize' || troupe === 'mcp_closed' ? troupe : undefined
}

/** Returns the message for a dropped response. `excess` is the exceeded limit in words. */
export function oversizeMessage(excess: string): string {
  return `The response ${excess} and was dropped.`
}

const RESPONSE_HEAD =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"id"\s*:\s*(-?\d{1,16}|"(?:[^"\\]|\\.){0,200}")\s*,\s*)?(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:/u
const ID_AT_THE_END =
  /,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,16}|"(?:[^"\\]|\\.){0,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/u

/**
 * Returns the id of a JSON-RPC response from its first and last few KiB. `undefined` if it is not a response
 * or the id is in neither part. Never takes an id from inside the result.
 */
export function oversizeResponseId(head: string, tail: string): string | number | undefined {
  const start = RESPONSE_HEAD.exec(head)
  if (start === null) return undefined
  const text = start[1] ?? ID_AT_THE_END.exec(tail)?.[1]
  return text === undefined ? undefined : parseId(text)
}

function parseId(text: string): string | number | undefined {
  try {
    return JSON.parse(text) as string | number
  } catch {
    // an invalid escape in the string, so it is not one of our ids
    return undefined
  }
}
