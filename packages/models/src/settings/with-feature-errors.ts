import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart, SharedV4Warning } from '@ai-sdk/provider'
import { troupeError, type LanguageModel, type Message } from '@troupe/schema'

/** Features that a request uses, and the words for them in the warnings of adapters. */
const FEATURES: readonly (readonly [isUsed: (call: LanguageModelV4CallOptions) => boolean, words: RegExp])[] =
  [
    [
      ({ tools = [] }) => tools.length > 0,
      /^tools?\b|^(?:function|provider-defined) tool|^combination of|^toolContent/u,
    ],
    [({ toolChoice }) => toolChoice?.type === 'required' || toolChoice?.type === 'tool', /^tool ?choice/iu],
    [({ responseFormat }) => responseFormat?.type === 'json', /^response ?format/iu],
    [({ prompt }) => prompt.some(hasFile), /\b(?:file|image|audio|pdf)\b|content part|message part/iu],
  ]

/**
 * Wraps a model so that a call fails with `model_bad_request` if the adapter leaves out tools, the choice of a
 * tool, the schema of the answer or files. Adapters only warn, and the model would answer another request.
 */
export function withFeatureErrors(
  model: LanguageModel,
  { hasNoTools = false }: { readonly hasNoTools?: boolean },
  id: string,
): LanguageModel {
  const requireTools = ({ tools = [] }: LanguageModelV4CallOptions): void => {
    if (hasNoTools && tools.length > 0)
      throw troupeError('model_bad_request', `${id} cannot call tools.`, {
        fix: 'Use another model for agents with tools.',
      })
  }
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (call) => {
      requireTools(call)
      const result = await model.doGenerate(call)
      checkWarnings(result.warnings, call, id)
      return result
    },
    doStream: async (call) => {
      requireTools(call)
      const result = await model.doStream(call)
      return { ...result, stream: result.stream.pipeThrough(checkStream(call, id)) }
    },
  }
}

function checkStream(
  call: LanguageModelV4CallOptions,
  id: string,
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'stream-start') checkWarnings(part.warnings, call, id)
      controller.enqueue(part)
    },
  })
}

function checkWarnings(
  warnings: readonly SharedV4Warning[],
  call: LanguageModelV4CallOptions,
  id: string,
): void {
  for (const warning of warnings) {
    if (warning.type !== 'unsupported') continue
    const isUsed = FEATURES.some(([isUsed, words]) => words.test(warning.feature) && isUsed(call))
    if (!isUsed) continue
    const details = warning.details === undefined ? '' : `: ${warning.details.replace(/\.$/u, '')}`
    throw troupeError('model_bad_request', `${id} does not support ${warning.feature}${details}.`, {
      fix: 'Use a model that supports it, or leave it out.',
    })
  }
}

function hasFile(message: Message): boolean {
  if (message.role === 'user') return message.content.some(({ type }) => type === 'file')
  if (message.role !== 'tool') return false
  return message.content.some(
    (part) =>
      part.type === 'tool-result' &&
      part.output.type === 'content' &&
      part.output.value.some(({ type }) => type === 'file'),
  )
}
