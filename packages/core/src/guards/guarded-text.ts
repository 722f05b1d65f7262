import type { Guard, PatternGuard, TextMatch } from '@troupe/schema/ports'
import { replaceMatches } from './guard-matches.ts'

/**
 * The text of an answer in progress, released to listeners in whole sentences. A sentence is held back until no
 * match of a guard can reach into it, so that nothing is shown that a guard denies or removes.
 */
export interface GuardedText {
  /** Text released so far. */
  readonly released: string
  /** Adds text of the model and returns what may be shown now. */
  push(text: string): string
  /** Returns the rest at the end of the answer. */
  end(): string
}

/**
 * Creates the text of an answer that all guards can check while it is written. Returns `undefined` if a guard
 * needs the whole answer.
 */
export function createGuardedText(guards: readonly Guard[]): GuardedText | undefined {
  const patterns = guards.filter((guard) => guard.kind === 'pattern')
  return patterns.length === guards.length ? new SentenceBuffer(patterns) : undefined
}

class SentenceBuffer implements GuardedText {
  released = ''
  /** Held text in pieces, because joining them for every delta would take quadratic time. */
  #pieces: string[] = []
  #length = 0
  #lastCharacter = ''
  /** Ends of the sentences in the held text. */
  #boundaries: number[] = []
  /** Length from which the held text is searched again. */
  #nextSearch = 0
  #isDenied = false
  readonly #guards: readonly PatternGuard[]
  readonly #longestMatch: number

  constructor(guards: readonly PatternGuard[]) {
    this.#guards = guards
    this.#longestMatch = Math.max(0, ...guards.map(({ longestMatch }) => longestMatch))
  }

  push(text: string): string {
    if (this.#isDenied) return ''
    this.#addBoundaries(text)
    this.#pieces.push(text)
    this.#length += text.length
    const end = this.#boundaryBefore(this.#length - this.#longestMatch)
    return end === 0 || this.#length < this.#nextSearch ? '' : this.#release(end, false)
  }

  end(): string {
    return this.#length === 0 ? '' : this.#release(this.#length, true)
  }

  #addBoundaries(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charAt(at)
      const isEnd = character === '\n' || (SPACES.has(character) && SENTENCE_ENDS.has(this.#lastCharacter))
      if (isEnd) this.#boundaries.push(this.#length + at + 1)
      this.#lastCharacter = character
    }
  }

  /** Returns the last end of a sentence up to `limit`; 0 without one. */
  #boundaryBefore(limit: number): number {
    const [first = Infinity] = this.#boundaries
    return first > limit ? 0 : (this.#boundaries.findLast((boundary) => boundary <= limit) ?? 0)
  }

  /** Releases the held text up to `end`, or up to the sentence with the first match that is not complete. */
  #release(end: number, isLast: boolean): string {
    if (this.#isDenied) return ''
    const held = this.#pieces.join('')
    const matches = this.#guards.flatMap((guard) =>
      guard.find(held).map((match) => ({ ...match, action: guard.action })),
    )
    this.#isDenied = matches.some(({ action }) => action !== 'redact' && action !== 'note')
    if (this.#isDenied) return ''
    const limit = isLast ? end : this.#beforeOpenMatches(matches, end)
    // a sentence that is held back for a match is only searched again when the text has grown by half
    this.#nextSearch = limit === 0 ? 1.5 * held.length : 0
    const text = this.#redact(held.slice(0, limit))
    this.#pieces = [held.slice(limit)]
    this.#length = held.length - limit
    this.#boundaries = this.#boundaries.flatMap((boundary) => (boundary > limit ? boundary - limit : []))
    this.released += text
    return text
  }

  /** Returns the last end of a sentence up to `end` that no match reaches beyond. A match at the end may still grow. */
  #beforeOpenMatches(matches: readonly TextMatch[], end: number): number {
    for (let limit = end; ;) {
      const open = matches.find(
        (match) => match.start < limit && (match.end > limit || match.end === this.#length),
      )
      if (open === undefined) return limit
      limit = this.#boundaryBefore(open.start)
    }
  }

  #redact(text: string): string {
    return this.#guards.reduce(
      (rest, { action, find }) => (action === 'redact' ? replaceMatches(rest, find(rest)) : rest),
      text,
    )
  }
}

const SPACES: ReadonlySet<string> = new Set([' ', '\t'])
const SENTENCE_ENDS: ReadonlySet<string> = new Set(['.', '!', '?', '…', ':', ';', '。', '！', '？'])
