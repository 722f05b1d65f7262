/** One chunk of the UI message stream of the AI SDK, version 1. */
export interface ChatChunk {
  /** Such as `text-delta`. */
  readonly type: string
  readonly [field: string]: unknown
}
