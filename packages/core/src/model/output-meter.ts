import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { failure, type Failure } from '@troupe/schema'

/** Maximum characters of one answer: reasoning, text and arguments together. */
const MAX_OUTPUT = 1_048_576
/** Upper bound of the average characters per token in an answer. */
const CHARACTERS_PER_TOKEN = 16
/** Characters that are always allowed, so that a small token limit is not applied too strictly. */
const FREE_CHARACTERS = 4096

/**
 * Counter of the characters of one answer. Detects a model that does not end, or a provider that ignores
 * `maxOutputTokens`.
 */
export interface OutputMeter {
  /** Number of characters so far. */
  readonly received: number
  /** Counts a part. Returns a failure as soon as the limit is exceeded. */
  add(part: LanguageModelV4StreamPart): Failure | undefined
}

export function createOutputMeter(maxOutputTokens: number | undefined): OutputMeter {
  return new CharacterMeter(maxOutputTokens)
}

/** A class to save memory: every model call has one, and every delta is counted. */
class CharacterMeter implements OutputMeter {
  received = 0
  /** Characters of the arguments that were streamed before their call. */
  #pendingInput = 0
  readonly #most: number
  readonly #maxOutputTokens: number | undefined

  constructor(maxOutputTokens: number | undefined) {
    this.#maxOutputTokens = maxOutputTokens
    const byTokens = FREE_CHARACTERS + CHARACTERS_PER_TOKEN * (maxOutputTokens ?? Infinity)
    this.#most = Math.min(MAX_OUTPUT, byTokens)
  }

  add(part: LanguageModelV4StreamPart): Failure | undefined {
    this.received += this.#sizeOf(part)
    return this.received > this.#most ? this.#tooLong() : undefined
  }

  #sizeOf(part: LanguageModelV4StreamPart): number {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return part.delta.length
      case 'tool-input-delta':
        this.#pendingInput += part.delta.length
        return part.delta.length
      case 'tool-call': {
        const rest = Math.max(0, part.input.length - this.#pendingInput)
        this.#pendingInput = 0
        return rest
      }
      default:
        return 0
    }
  }

  #tooLong(): Failure {
    const isOverTokens = this.#most < MAX_OUTPUT
    const limit = isOverTokens
      ? `the ${this.#maxOutputTokens} tokens it was allowed`
      : `${MAX_OUTPUT} characters`
    return failure('model_output_too_long', `The model was stopped: it wrote far more than ${limit}.`)
  }
}
