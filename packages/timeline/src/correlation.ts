import type { RunEvent } from '@troupe/schema'

/** The id of one tool call over all runs: what hooks, events and logs share (A91). */
export function correlationId(runId: string, callId: string): string {
  return `${runId}:${callId}`
}

/** The correlation id of the call that an event belongs to. Start and end of a child belong to the call that opened it, which is its parent's. */
export function eventCorrelation(event: RunEvent): string | undefined {
  if (event.callId === undefined) return undefined
  const isEdge = event.type === 'run-start' || event.type === 'run-end'
  return correlationId(isEdge ? (event.parentRunId ?? event.runId) : event.runId, event.callId)
}
