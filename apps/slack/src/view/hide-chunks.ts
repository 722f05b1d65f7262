import type { AnyChunk, TaskUpdateChunk } from '@slack/types'
import { wholeCharacters } from './cut-text.ts'
import type { RedactedText } from './redact-text.ts'

/** Slack takes no longer text in a row. */
const ROW_TEXT = 256

/** Chunks without secrets in what people read. A name is longer than the secret that it stands for: what does not fit any more is cut. */
export function hideChunks(chunks: readonly AnyChunk[], hide: RedactedText): AnyChunk[] {
  return chunks.map((chunk) => {
    if (chunk.type === 'markdown_text') return { ...chunk, text: hide(chunk.text) }
    return chunk.type === 'task_update' ? hideRow(chunk, hide) : chunk
  })
}

function hideRow(chunk: TaskUpdateChunk, hide: RedactedText): TaskUpdateChunk {
  const { title, details, output } = chunk
  const fit = (text: string): string => fitRow(hide(text))
  return {
    ...chunk,
    title: fit(title),
    ...(details === undefined ? {} : { details: fit(details) }),
    ...(output === undefined ? {} : { output: fit(output) }),
  }
}

/** No entity is cut in two. */
function fitRow(text: string): string {
  if (text.length <= ROW_TEXT) return text
  return `${wholeCharacters(text, ROW_TEXT - 1).replace(/&[a-z]{0,3}$/u, '')}…`
}
