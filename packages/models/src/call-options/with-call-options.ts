import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { LanguageModel } from '@troupe/schema'

/** Wraps a model to change the options of each call. `change` must not modify its argument. */
export function withCallOptions(
  model: LanguageModel,
  change: (options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions,
): LanguageModel {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(change(options)),
    doStream: (options) => model.doStream(change(options)),
  }
}
