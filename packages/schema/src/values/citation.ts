/** A web page that the provider of a model names as a source of an answer. Plain JSON. */
export interface Citation {
  readonly url: string
  readonly title?: string
  /** Start of the text that it supports, in characters; absent if the provider names no place. */
  readonly startIndex?: number
  /** Exclusive end of that text. */
  readonly endIndex?: number
  /** Text of the page that supports the answer. */
  readonly citedText?: string
}
