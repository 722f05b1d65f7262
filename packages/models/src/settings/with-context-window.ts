import { isJsonObject, type LanguageModel } from '@troupe/schema'
import { withCallOptions } from '../with-call-options.ts'

/**
 * Sets the context window of an Ollama model. Its default window is small, and longer prompts lose their
 * beginning.
 */
export function withContextWindow(model: LanguageModel, tokens: number): LanguageModel {
  return withCallOptions(model, (call) => {
    const own = call.providerOptions?.['ollama'] ?? {}
    const given = own['options']
    const options = { num_ctx: tokens, ...(isJsonObject(given) ? given : {}) }
    return { ...call, providerOptions: { ...call.providerOptions, ollama: { ...own, options } } }
  })
}
