import { createAnthropic } from '@ai-sdk/anthropic'
import type { LanguageModel } from '@troupe/schema'
import type { ProviderConnection } from './provider-table.ts'

/** Creates a model of Anthropic's Messages API. */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  const { apiKey, baseURL, headers, fetch } = connection
  return createAnthropic({ apiKey, baseURL, headers, ...(fetch === undefined ? {} : { fetch }) })(name)
}
