import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from '@troupe/schema'
import type { ProviderConnection } from '../provider-table.ts'
import { withToolProperties } from './tool-properties.ts'

/** A model of any server that speaks Chat Completions. Usage of streams and JSON schemas are off by default in the adapter. */
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
