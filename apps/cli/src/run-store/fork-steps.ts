import { createRunPaths } from '@troupe/cassette'
import type { RunEvent } from '@troupe/schema'

/**
 * Returns the turns of each run by run id, in the form that `--at` takes: `2` in the root run, `1.2/3` in the
 * child run of call 1.2.
 */
export function forkSteps(
  rootRunId: string,
  events: readonly RunEvent[],
): ReadonlyMap<string, readonly string[]> {
  const places = createRunPaths(rootRunId)
  const steps = new Map<string, string[]>()
  for (const event of events) {
    places.addEvent(event)
    if (event.type !== 'turn-start') continue
    const path = places.pathOf(event.runId).slice(1)
    const step = path === '' ? `${event.turn}` : `${path}/${event.turn}`
    const known = steps.get(event.runId) ?? []
    steps.set(event.runId, known.includes(step) ? known : [...known, step])
  }
  return steps
}
