/** A chunk of the AI SDK's UI message stream, version 1. */
export interface ChatChunk {
  /** Chunk type, such as `text-delta`. */
  readonly type: string
  readonly [field: string]: unknown
}
