import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'

/** What the model says: text in one piece, text in tokens, or calls of one tool with one argument object each. */
export type Answer =
  | { readonly text: string }
  | { readonly tokens: readonly string[] }
  | { readonly tool: string; readonly inputs: readonly string[] }

/** A model in this process that counts what it is asked. */
export interface CountingModel extends LanguageModelV4 {
  /** Requests so far. */
  readonly requests: number
  /** Messages of the newest request. */
  readonly messages: number
  /** Tools of the newest request. */
  readonly tools: number
  /** Tool results at the end of the newest request. */
  readonly results: number
}

let issuedIds = 0

const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

/** The same answers whole and as a stream. The stream is the cheapest one there is, filled when it is made, so what is measured is its reader. */
export function countingModel(
  answer: (request: number, prompt: LanguageModelV4Prompt) => Answer | Promise<Answer>,
): CountingModel {
  let requests = 0
  let messages = 0
  let tools = 0
  let results = 0
  const next = (options: LanguageModelV4CallOptions): Answer | Promise<Answer> => {
    requests += 1
    messages = options.prompt.length
    tools = options.tools?.length ?? 0
    const last = options.prompt.at(-1)
    results = last?.role === 'tool' ? last.content.length : 0
    return answer(requests, options.prompt)
  }
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'counting',
    supportedUrls: {},
    get requests() {
      return requests
    },
    get messages() {
      return messages
    },
    get tools() {
      return tools
    },
    get results() {
      return results
    },
    doGenerate: async (options) => {
      const given = await next(options)
      return { content: toContent(given), finishReason: finishOf(given), usage: USAGE, warnings: [] }
    },
    doStream: async (options) => ({ stream: toStream(await next(options)) }),
  }
}

function finishOf(answer: Answer): LanguageModelV4FinishReason {
  return { unified: 'tool' in answer ? 'tool-calls' : 'stop', raw: undefined }
}

function toContent(answer: Answer): LanguageModelV4Content[] {
  if ('tool' in answer) return toCalls(answer)
  return [{ type: 'text', text: 'text' in answer ? answer.text : answer.tokens.join('') }]
}

function toCalls(
  answer: Extract<Answer, { readonly tool: string }>,
): Extract<LanguageModelV4Content, { readonly type: 'tool-call' }>[] {
  return answer.inputs.map((input) => ({
    type: 'tool-call',
    toolCallId: `call-${(issuedIds += 1)}`,
    toolName: answer.tool,
    input,
  }))
}

function toStream(answer: Answer): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue({ type: 'stream-start', warnings: [] })
      if ('tool' in answer) for (const call of toCalls(answer)) controller.enqueue(call)
      else enqueueText(controller, 'text' in answer ? [answer.text] : answer.tokens)
      controller.enqueue({ type: 'finish', finishReason: finishOf(answer), usage: USAGE })
      controller.close()
    },
  })
}

function enqueueText(
  controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>,
  tokens: readonly string[],
): void {
  controller.enqueue({ type: 'text-start', id: 'text' })
  for (const delta of tokens) controller.enqueue({ type: 'text-delta', id: 'text', delta })
  controller.enqueue({ type: 'text-end', id: 'text' })
}
