import type { ServerContext } from '@modelcontextprotocol/server'
import { failure, type Failure } from '@troupe/schema'

/**
 * Returns the session id in the `_meta` of a call, or a failure if it is invalid. `undefined` if there is
 * none.
 */
export function readContextId({ mcpReq }: ServerContext): string | Failure | undefined {
  const { _meta: meta } = mcpReq
  const contextId = meta?.['contextId']
  if (contextId === undefined) return undefined
  if (typeof contextId === 'string' && contextId !== '') return contextId
  return failure(
    'input_invalid',
    '_meta.contextId is no text.',
    'Pass the one of an earlier result, or none.',
  )
}
