import type { LanguageModelV4Prompt, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Message } from '@troupe/schema'

/** Token counts by kind. Missing input and output counts are estimated, other missing counts are 0. */
export interface GivenUsage {
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
export function promptSize(prompt: LanguageModelV4Prompt): number {
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
