import type { AnyChunk } from '@slack/types'
import type { RedactedText } from './redact-text.ts'

/** Chunks without secrets in what people read. */
export function hideChunks(chunks: readonly AnyChunk[], hide: RedactedText): AnyChunk[] {
  return chunks.map((chunk) => {
    if (chunk.type === 'markdown_text') return { ...chunk, text: hide(chunk.text) }
    if (chunk.type !== 'task_update') return chunk
    const { details, output } = chunk
    return {
      ...chunk,
      title: hide(chunk.title),
      ...(details === undefined ? {} : { details: hide(details) }),
      ...(output === undefined ? {} : { output: hide(output) }),
    }
  })
}
