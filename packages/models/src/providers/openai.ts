import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai'
import type { LanguageModel } from '@troupe/schema'
import type { EmbeddingModel } from '@troupe/schema/ports'
import type { ProviderConnection } from './provider-table.ts'

/**
 * Creates a model of OpenAI. Uses Chat Completions unless the configuration sets `api: responses`, because
 * most servers behind a custom base URL support nothing else.
 */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  const provider = connect(connection)
  return connection.api === 'responses' ? provider.responses(name) : provider.chat(name)
}

/** Creates an embedding model of OpenAI. */
export function createEmbeddingModel(name: string, connection: ProviderConnection): EmbeddingModel {
  return connect(connection).embeddingModel(name)
}

function connect({ apiKey, baseURL, headers, fetch }: ProviderConnection): OpenAIProvider {
  return createOpenAI({ apiKey, baseURL, headers, ...(fetch === undefined ? {} : { fetch }) })
}
