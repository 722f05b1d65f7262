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
  return `The answer ${excess} and was dropped.`
}
