import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { LanguageModel, MaybePromise } from '@troupe/schema'
import { answerParts, type EmbeddedAnswer } from './answer-parts.ts'

/** A model inside this package, from a function that answers one call. What that throws, the call throws. */
export function embeddedModel(
  identity: { readonly provider: string; readonly modelId: string },
  answer: (options: LanguageModelV4CallOptions) => MaybePromise<EmbeddedAnswer>,
): LanguageModel {
  return {
    specificationVersion: 'v4',
    ...identity,
    supportedUrls: {},
    async doStream(options) {
      options.abortSignal?.throwIfAborted()
      const parts = answerParts(await answer(options))
      return { stream: ReadableStream.from(play(parts, options.abortSignal)) }
    },
    async doGenerate(options) {
      options.abortSignal?.throwIfAborted()
      return toResult(await answer(options))
    },
  }
}

function* play(
  parts: readonly LanguageModelV4StreamPart[],
  signal: AbortSignal | undefined,
): Generator<LanguageModelV4StreamPart> {
  for (const part of parts) {
    signal?.throwIfAborted()
    yield part
  }
}

function toResult(answer: EmbeddedAnswer): LanguageModelV4GenerateResult {
  const { text = '', calls = [], usage } = answer
  const content: LanguageModelV4Content[] = text === '' ? [] : [{ type: 'text', text }]
  for (const { id, name, input } of calls)
    content.push({ type: 'tool-call', toolCallId: id, toolName: name, input })
  const unified = calls.length > 0 ? 'tool-calls' : 'stop'
  return { content, finishReason: { unified, raw: unified }, usage, warnings: [] }
}
