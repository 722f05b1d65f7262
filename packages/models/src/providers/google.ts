import { createGoogle, type GoogleProvider } from '@ai-sdk/google'
import type { LanguageModel } from '@troupe/schema'
import type { EmbeddingModel } from '@troupe/schema/ports'
import type { ProviderConnection } from './provider-table.ts'

/** Creates a model of the Gemini API. */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  return connect(connection)(name)
}

/** Creates an embedding model of the Gemini API. */
export function createEmbeddingModel(name: string, connection: ProviderConnection): EmbeddingModel {
  return connect(connection).embeddingModel(name)
}

function connect({ apiKey, baseURL, headers, fetch }: ProviderConnection): GoogleProvider {
  return createGoogle({ apiKey, baseURL, headers, ...(fetch === undefined ? {} : { fetch }) })
}
