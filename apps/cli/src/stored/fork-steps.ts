import { createPlaces } from '@troupe/cassette'
import type { RunEvent } from '@troupe/schema'

/** The turns of each run of a root, as `--at` of a fork names them: `2` of the root, `1.2/3` of the run that its call 1.2 opened. */
export function forkSteps(
  rootRunId: string,
  events: readonly RunEvent[],
): ReadonlyMap<string, readonly string[]> {
  const places = createPlaces(rootRunId)
  const steps = new Map<string, string[]>()
  for (const event of events) {
    places.see(event)
    if (event.type !== 'turn-start') continue
    const path = places.of(event.runId).slice(1)
    const step = path === '' ? `${event.turn}` : `${path}/${event.turn}`
    const known = steps.get(event.runId) ?? []
    steps.set(event.runId, known.includes(step) ? known : [...known, step])
  }
  return steps
}
