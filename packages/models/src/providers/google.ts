import { createGoogle } from '@ai-sdk/google'
import type { LanguageModel } from '@troupe/schema'
import type { ProviderConnection } from './provider-table.ts'

/** Creates a model of the Gemini API. */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  const { apiKey, baseURL, headers, fetch } = connection
  return createGoogle({ apiKey, baseURL, headers, ...(fetch === undefined ? {} : { fetch }) })(name)
}
