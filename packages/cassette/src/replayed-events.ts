/**
 * Events that a replay takes from the recording. Hooks, tools, people and servers caused them, and none of
 * those runs again. All other events come from the agent loop and are compared with the recording.
 */
const REPLAYED_EVENTS: ReadonlySet<string> = new Set([
  'tool-start',
  'approval-request',
  'approval-result',
  'run-waiting',
  'warning',
])

/** Returns true for an event that is taken from the recording. */
export function isReplayedEvent(event: string): boolean {
  return REPLAYED_EVENTS.has(event)
}
