import { setImmediate } from 'node:timers/promises'
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { LanguageModel, MaybePromise } from '@troupe/schema'
import { answerParts, type EmbeddedAnswer } from './answer-parts.ts'
import { promptSize } from './estimate-usage.ts'

/** Creates a model from a function that answers one call. Errors of the function are passed on. */
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
      await untilNextTurn(options.prompt)
      const parts = answerParts(await answer(options))
      return { stream: ReadableStream.from(play(parts, options.abortSignal)) }
    },
    async doGenerate(options) {
      options.abortSignal?.throwIfAborted()
      await untilNextTurn(options.prompt)
      return toResult(await answer(options))
    },
  }
}

/**
 * Yields to the event loop for large prompts, so that building the prompt and validating the answer are
 * separate turns, as with a remote provider.
 */
async function untilNextTurn(prompt: LanguageModelV4Prompt): Promise<void> {
  if (promptSize(prompt) > LARGE_PROMPT) await setImmediate()
}

/** In characters. */
const LARGE_PROMPT = 64 * 1024

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
