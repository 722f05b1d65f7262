import type { StreamRedactor, RunEvent } from '@troupe/schema'

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
