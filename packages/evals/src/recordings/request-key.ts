import type { AgentDefinition, LanguageModel } from '@troupe/schema'
import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import type { ModelHandle } from '@troupe/schema/ports'

/** The request of a model call. */
export type ModelRequest = Parameters<LanguageModel['doGenerate']>[0]

/** Everything besides the request that decides which recording answers it. */
export interface RequestOrigin {
  readonly handle: ModelHandle
  readonly definition: AgentDefinition
  readonly kind: 'stream' | 'whole'
  /** Repeat of the case, counted from 0. */
  readonly repeat: number
  /** Number of earlier equal requests in the same run tree. */
  readonly occurrence: number
}

/**
 * Returns the key of a request: a digest of provider, address, model, messages, tools, output schema, settings,
 * repeat and occurrence. A budget may lower the output limit of a request, so the limit of the card counts.
 */
export function requestKey(
  { abortSignal: _signal, headers: _headers, maxOutputTokens: _limit, ...request }: ModelRequest,
  { handle, definition, kind, repeat, occurrence }: RequestOrigin,
): string {
  return sha256Hex(
    canonicalJson({
      version: 1,
      model: handle.id,
      endpoint: handle.endpoint ?? handle.provider,
      kind,
      request,
      maxOutputTokens: definition.settings.maxOutputTokens,
      repeat,
      occurrence,
    }),
  )
}
