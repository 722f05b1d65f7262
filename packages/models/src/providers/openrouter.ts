import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import type { LanguageModel } from '@troupe/schema'
import type { ProviderConnection } from '../provider-table.ts'
import { withSentArguments } from './openrouter-arguments.ts'
import { withToolProperties } from './tool-properties.ts'

/**
 * Creates a model of OpenRouter. Uses strict mode, because the adapter requests usage of streams only there.
 */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  const { apiKey, baseURL, headers, fetch } = connection
  const provider = createOpenRouter({
    apiKey,
    baseURL,
    headers,
    compatibility: 'strict',
    ...(fetch === undefined ? {} : { fetch }),
  })
  return withToolProperties(withSentArguments(provider.chat(name)))
}
