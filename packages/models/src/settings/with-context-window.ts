import { isJsonObject, type LanguageModel } from '@troupe/schema'
import { withCallOptions } from '../with-call-options.ts'

/** The same model of Ollama with a window of so many tokens: without being told it takes a small one, and leaves out the beginning of what does not fit. */
export function withContextWindow(model: LanguageModel, tokens: number): LanguageModel {
  return withCallOptions(model, (call) => {
    const own = call.providerOptions?.['ollama'] ?? {}
    const given = own['options']
    const options = { num_ctx: tokens, ...(isJsonObject(given) ? given : {}) }
    return { ...call, providerOptions: { ...call.providerOptions, ollama: { ...own, options } } }
  })
}
