import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { LanguageModel } from '@troupe/schema'
import { createOllama } from 'ollama-ai-provider-v2'
import type { ProviderConnection } from '../provider-table.ts'
import { withCallOptions } from '../with-call-options.ts'
import { withOllamaErrors } from './ollama-errors.ts'

/** Creates a model of Ollama, which needs no key. A configured key is sent as a bearer token, for a proxy. */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  const { apiKey, baseURL, headers, fetch } = connection
  const provider = createOllama({
    baseURL,
    headers: { ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }), ...headers },
    ...(fetch === undefined ? {} : { fetch }),
  })
  return withCallOptions(withOllamaErrors(provider.chat(name)), withOllamaOptions)
}

/**
 * Moves settings to `options`, the only place where Ollama reads them. Its adapter writes them at the top
 * level.
 */
function withOllamaOptions(call: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const settings = {
    num_predict: call.maxOutputTokens,
    temperature: call.temperature,
    top_p: call.topP,
    top_k: call.topK,
    seed: call.seed,
    stop: call.stopSequences,
  }
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  if (given.length === 0) return call
  const own = call.providerOptions?.['ollama'] ?? {}
  const options = { ...Object.fromEntries(given), ...asObject(own['options']) }
  return { ...call, providerOptions: { ...call.providerOptions, ollama: { ...own, options } } }
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
