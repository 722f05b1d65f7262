import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModel } from '@troupe/schema'
import type { ProviderConnection } from '../provider-table.ts'

/** A model of OpenAI. Chat Completions unless the configuration says `api: responses`: a base URL usually leads to a server that has only that. */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  const { apiKey, baseURL, headers, api, fetch } = connection
  const provider = createOpenAI({ apiKey, baseURL, headers, ...(fetch === undefined ? {} : { fetch }) })
  return api === 'responses' ? provider.responses(name) : provider.chat(name)
}
