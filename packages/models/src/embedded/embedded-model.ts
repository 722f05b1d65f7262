import { setImmediate } from 'node:timers/promises'
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { messageText, type LanguageModel, type MaybePromise, type Message } from '@troupe/schema'

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

/** A tool call in an answer. `input` is JSON text. */
export interface AnswerCall {
  readonly id: string
  readonly name: string
  readonly input: string
}

/** Answer of an embedded model. */
export interface EmbeddedAnswer {
  readonly text?: string
  readonly calls?: readonly AnswerCall[]
  readonly usage: LanguageModelV4Usage
}

const MAX_DELTAS = 12

/** Returns the stream parts of an answer: text in a few deltas split between words, then the tool calls. */
function answerParts(answer: EmbeddedAnswer): readonly LanguageModelV4StreamPart[] {
  const { text = '', calls = [], usage } = answer
  const unified = calls.length > 0 ? 'tool-calls' : 'stop'
  return [
    { type: 'stream-start', warnings: [] },
    ...textParts(text),
    ...calls.map((call): LanguageModelV4StreamPart => ({
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input: call.input,
    })),
    { type: 'finish', usage, finishReason: { unified, raw: unified } },
  ]
}

function textParts(text: string): readonly LanguageModelV4StreamPart[] {
  if (text === '') return []
  const id = 'text-0'
  const deltas = toDeltas(text).map((delta): LanguageModelV4StreamPart => ({ type: 'text-delta', id, delta }))
  return [{ type: 'text-start', id }, ...deltas, { type: 'text-end', id }]
}

function toDeltas(text: string): readonly string[] {
  const words = text.match(/\s*\S+\s*|\s+/gu) ?? []
  const size = Math.ceil(words.length / MAX_DELTAS)
  const deltas: string[] = []
  for (let at = 0; at < words.length; at += size) deltas.push(words.slice(at, at + size).join(''))
  return deltas
}

/** Returns the text of the last user message, or an empty string if there is none. */
export function lastUserText(prompt: LanguageModelV4Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user')
  return message === undefined ? '' : messageText(message)
}

/** Creates a model that repeats the last user message. */
export function passthroughModel(): LanguageModel {
  return embeddedModel({ provider: 'passthrough', modelId: 'passthrough' }, ({ prompt }) => {
    const text = lastUserText(prompt)
    return { text, usage: estimateUsage(prompt, { answer: text }) }
  })
}

/** Token counts by kind. Missing input and output counts are estimated, other missing counts are 0. */
interface GivenUsage {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

const CHARACTERS_PER_TOKEN = 4
const sizes = new WeakMap<Message, number>()

/** Estimates usage as a quarter of the characters. Deterministic, for models without a tokenizer. */
export function estimateUsage(
  prompt: LanguageModelV4Prompt,
  options: { readonly answer: string; readonly given?: GivenUsage },
): LanguageModelV4Usage {
  const { given = {}, answer } = options
  const input = given.input ?? toTokens(promptSize(prompt))
  const output = given.output ?? toTokens(answer.length)
  const { cacheRead = 0, cacheWrite = 0, reasoning = 0 } = given
  return {
    inputTokens: {
      total: input,
      noCache: Math.max(0, input - cacheRead - cacheWrite),
      cacheRead,
      cacheWrite,
    },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  }
}

function toTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

/**
 * Returns the size of a prompt in characters. Caches the size of each message, because messages are never
 * edited.
 */
function promptSize(prompt: LanguageModelV4Prompt): number {
  let size = 0
  for (const message of prompt) {
    const known = sizes.get(message) ?? contentSize(message)
    sizes.set(message, known)
    size += known
  }
  return size
}

function contentSize({ content }: Message): number {
  if (typeof content === 'string') return content.length
  let size = 0
  for (const part of content) size += 'text' in part ? part.text.length : JSON.stringify(part).length
  return size
}
