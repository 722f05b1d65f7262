/**
 * Events that a replay takes from the recording: what hooks, tools, persons and servers made happen, none of which runs again. The others
 * the loop tells itself, and they are held against the recording.
 */
const GIVEN: ReadonlySet<string> = new Set([
  'tool-start',
  'approval-request',
  'approval-result',
  'run-waiting',
  'warning',
])

/** True for an event that is taken from the recording. */
export function isGiven(event: string): boolean {
  return GIVEN.has(event)
}
