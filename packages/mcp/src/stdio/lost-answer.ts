import type { JSONRPCErrorResponse } from '@modelcontextprotocol/client'

const SERVER_ERROR = -32_000

/** Why an answer that was under way did not arrive. */
export type LossCode = 'mcp_oversize' | 'mcp_closed'

/** Stands in for an answer that a transport had to drop: the one call that waits for it fails, all others go on. */
export function lostAnswer(
  id: string | number,
  loss: { readonly code: LossCode; readonly message: string },
): JSONRPCErrorResponse {
  return {
    jsonrpc: '2.0',
    id,
    error: { code: SERVER_ERROR, message: loss.message, data: { troupe: loss.code } },
  }
}

/** The code of a loss from the data of a protocol error; undefined for an error of the server's own. */
export function lossCode(data: unknown): LossCode | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { troupe } = data as { readonly troupe?: unknown }
  return troupe === 'mcp_oversize' || troupe === 'mcp_closed' ? troupe : undefined
}

/** What a model and a person read of an answer over a limit; `excess` says which, as `MessageSize` has it. */
export function oversizeMessage(excess: string): string {
  return `The answer ${excess} and was dropped.`
}
