import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { LanguageModel } from '@troupe/schema'

/** The same model, called with changed options. `change` must not edit what it gets. */
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
