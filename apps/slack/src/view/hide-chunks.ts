import type { AnyChunk, TaskUpdateChunk } from '@slack/types'
import type { RunEvent } from '@troupe/schema'
import type { StreamRedactor } from '@troupe/schema/ports'
import { wholeCharacters } from './slack-text.ts'

/** A function that removes secrets from a text. */
export type TextRedactor = (text: string) => string

/** Maximum length of a text in a row, in characters. */
const ROW_TEXT = 256

/**
 * Redacts secrets in the visible texts of chunks. Cuts texts that become too long, because a placeholder can
 * be longer than its secret.
 */
export function hideChunks(chunks: readonly AnyChunk[], hide: TextRedactor): AnyChunk[] {
  return chunks.map((chunk) => {
    if (chunk.type === 'markdown_text') return { ...chunk, text: hide(chunk.text) }
    return chunk.type === 'task_update' ? hideRow(chunk, hide) : chunk
  })
}

function hideRow(chunk: TaskUpdateChunk, hide: TextRedactor): TaskUpdateChunk {
  const { title, details, output } = chunk
  const fit = (text: string): string => fitRow(hide(text))
  return {
    ...chunk,
    title: fit(title),
    ...(details === undefined ? {} : { details: fit(details) }),
    ...(output === undefined ? {} : { output: fit(output) }),
  }
}

/** Cuts a text without splitting an entity. */
function fitRow(text: string): string {
  if (text.length <= ROW_TEXT) return text
  return `${wholeCharacters(text, ROW_TEXT - 1).replace(/&[a-z]{0,3}$/u, '')}…`
}

/**
 * Creates a function that redacts the app's tokens in streamed text, even if a token is split across deltas.
 * It maps an event to the events to show.
 */
export function hideDeltas(pieces: () => StreamRedactor): (event: RunEvent) => readonly RunEvent[] {
  let text = pieces()
  return (event) => {
    if (event.runId !== event.rootRunId) return [event]
    if (event.type === 'turn-start') text = pieces()
    if (event.type === 'text-delta') return [{ ...event, text: text.push(event.text) }]
    if (event.type !== 'text-end') return [event]
    return [{ ...event, type: 'text-delta', text: text.end() }, event]
  }
}
