import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from '@troupe/schema'
import type { ProviderConnection } from './provider-table.ts'
import { withToolProperties } from './tool-properties.ts'

/**
 * Creates a model of any server that supports Chat Completions. Enables usage of streams and JSON schemas,
 * which the adapter disables by default.
 */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  const { apiKey, baseURL, headers, fetch } = connection
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    apiKey,
    baseURL,
    headers,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(fetch === undefined ? {} : { fetch }),
  })
  return withToolProperties(provider.chatModel(name))
}
