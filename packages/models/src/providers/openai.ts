import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModel } from '@troupe/schema'
import type { ProviderConnection } from './provider-table.ts'

/**
 * Creates a model of OpenAI. Uses Chat Completions unless the configuration sets `api: responses`, because
 * most servers behind a custom base URL support nothing else.
 */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  const { apiKey, baseURL, headers, api, fetch } = connection
  const provider = createOpenAI({ apiKey, baseURL, headers, ...(fetch === undefined ? {} : { fetch }) })
  return api === 'responses' ? provider.responses(name) : provider.chat(name)
}
