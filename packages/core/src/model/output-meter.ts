import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { failure, type Failure } from '@troupe/schema'

/** The most one answer may have, in characters: reasoning, text and arguments together. */
const MAX_OUTPUT = 1_048_576
/** No tokeniser makes more characters of a token than this on the average of an answer. */
const CHARACTERS_PER_TOKEN = 16
/** What an answer may have in any case, so that a small limit of tokens is not taken too literally. */
const FREE_CHARACTERS = 4096

/** Counts what comes of one answer. A model that does not end, or a provider that does not obey `maxOutputTokens`, is stopped here. */
export interface OutputMeter {
  /** Characters so far. */
  readonly received: number
  /** A failure as soon as there is more than there may be. */
  add(part: LanguageModelV4StreamPart): Failure | undefined
}

/** A meter for one call. */
export function createOutputMeter(maxOutputTokens: number | undefined): OutputMeter {
  return new CharacterMeter(maxOutputTokens)
}

/** A class, as every model call has one and every delta comes by. */
class CharacterMeter implements OutputMeter {
  received = 0
  /** Of the arguments that came as deltas before their call. */
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
