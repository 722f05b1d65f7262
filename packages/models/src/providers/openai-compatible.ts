import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from '@troupe/schema'
import type { EmbeddingModel } from '@troupe/schema/ports'
import type { ProviderConnection } from './provider-table.ts'
import { withToolProperties } from './tool-properties.ts'

/** Creates a model of any server that supports Chat Completions. */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  return withToolProperties(connect(connection).chatModel(name))
}

/** Creates an embedding model of any server that supports OpenAI's embeddings. */
export function createEmbeddingModel(name: string, connection: ProviderConnection): EmbeddingModel {
  return connect(connection).embeddingModel(name)
}

/** Enables usage of streams and JSON schemas, which the adapter disables by default. */
function connect({ apiKey, baseURL, headers, fetch }: ProviderConnection): OpenAICompatibleProvider {
  return createOpenAICompatible({
    name: 'openai-compatible',
    apiKey,
    baseURL,
    headers,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(fetch === undefined ? {} : { fetch }),
  })
}
