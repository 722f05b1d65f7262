import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { newCallId, USAGE, type Answer, type Script } from '../script.ts'

const REPORTED: LanguageModelV4Usage = {
  inputTokens: { total: USAGE.input, noCache: USAGE.input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: USAGE.output, text: USAGE.output, reasoning: 0 },
}

/**
 * Wraps a script in the provider interface of the AI SDK, for Troupe and for `ai`. Streams are filled when they
 * are created, which is the cheapest way, so only their reader is measured.
 */
export function scriptedModel(script: Script): LanguageModelV4 {
  const next = ({ prompt }: LanguageModelV4CallOptions): Answer | Promise<Answer> =>
    script.answer({ messages: prompt.length, isAfterTool: prompt.at(-1)?.role === 'tool' })
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async (options) => {
      const answer = await next(options)
      return {
        content: toContent(answer),
        finishReason: toFinishReason(answer),
        usage: REPORTED,
        warnings: [],
      }
    },
    doStream: async (options) => ({ stream: toStream(await next(options)) }),
  }
}

function toFinishReason(answer: Answer): LanguageModelV4FinishReason {
  return { unified: 'tool' in answer ? 'tool-calls' : 'stop', raw: undefined }
}

function toContent(answer: Answer): LanguageModelV4Content[] {
  if ('tool' in answer) return toCalls(answer)
  return [{ type: 'text', text: 'text' in answer ? answer.text : answer.tokens.join('') }]
}

function toCalls({
  tool,
  inputs,
}: Extract<Answer, { readonly tool: string }>): Extract<
  LanguageModelV4Content,
  { readonly type: 'tool-call' }
>[] {
  return inputs.map((input) => ({ type: 'tool-call', toolCallId: newCallId(), toolName: tool, input }))
}

function toStream(answer: Answer): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue({ type: 'stream-start', warnings: [] })
      if ('tool' in answer) for (const call of toCalls(answer)) controller.enqueue(call)
      else {
        controller.enqueue({ type: 'text-start', id: 'text' })
        for (const delta of 'text' in answer ? [answer.text] : answer.tokens)
          controller.enqueue({ type: 'text-delta', id: 'text', delta })
        controller.enqueue({ type: 'text-end', id: 'text' })
      }
      controller.enqueue({ type: 'finish', finishReason: toFinishReason(answer), usage: REPORTED })
      controller.close()
    },
  })
}
