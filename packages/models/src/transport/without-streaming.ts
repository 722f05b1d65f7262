import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { LanguageModel } from '@troupe/schema'

/** The same model for a server that cannot stream: its whole answer comes as a stream of few parts. */
export function withoutStreaming(model: LanguageModel): LanguageModel {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    doStream: async (options) => {
      const { request, response, ...result } = await model.doGenerate(options)
      return {
        stream: ReadableStream.from(partsOf(result)),
        ...(request === undefined ? {} : { request }),
        ...(response?.headers === undefined ? {} : { response: { headers: response.headers } }),
      }
    },
  }
}

function partsOf({
  content,
  finishReason,
  usage,
  warnings,
  providerMetadata,
}: LanguageModelV4GenerateResult): readonly LanguageModelV4StreamPart[] {
  return [
    { type: 'stream-start', warnings },
    ...content.flatMap((part, index) => contentParts(part, String(index))),
    { type: 'finish', finishReason, usage, ...(providerMetadata === undefined ? {} : { providerMetadata }) },
  ]
}

function contentParts(part: LanguageModelV4Content, id: string): readonly LanguageModelV4StreamPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part]
  const { type, text, providerMetadata } = part
  const metadata = providerMetadata === undefined ? {} : { providerMetadata }
  return [
    { type: `${type}-start`, id, ...metadata },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id, ...metadata },
  ]
}
