import type { RedactedPieces, RunEvent } from '@troupe/schema'

/** Hides the tokens of the app in what an agent says, which may come cut anywhere. Of each event it gives what is shown of it. */
export function hideDeltas(pieces: () => RedactedPieces): (event: RunEvent) => readonly RunEvent[] {
  let text = pieces()
  return (event) => {
    if (event.runId !== event.rootRunId) return [event]
    if (event.type === 'turn-start') text = pieces()
    if (event.type === 'text-delta') return [{ ...event, text: text.push(event.text) }]
    if (event.type !== 'text-end') return [event]
    return [{ ...event, type: 'text-delta', text: text.end() }, event]
  }
}
