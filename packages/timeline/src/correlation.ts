import type { RunEvent } from '@troupe/schema'

/** Returns the id that identifies one tool call across all runs in hooks, events and logs. */
export function correlationId(runId: string, callId: string): string {
  return `${runId}:${callId}`
}

/**
 * Returns the correlation id of the call that an event belongs to. Start and end of a child run belong to the
 * call of the parent that opened it.
 */
export function eventCorrelation(event: RunEvent): string | undefined {
  if (event.callId === undefined) return undefined
  const isEdge = event.type === 'run-start' || event.type === 'run-end'
  return correlationId(isEdge ? (event.parentRunId ?? event.runId) : event.runId, event.callId)
}
