import type { RunEvent } from '@troupe/schema'

/** The reducer of one run, and its value before the first event. */
interface RunReducer<Value> {
  readonly none: Value
  reduce(value: Value, event: RunEvent): Value
}

/**
 * Returns the values of all runs, by run id, after more events. The map is copied at most once, so that the time for a
 * large history does not grow with the square of its runs.
 */
export function reduceByRun<Value>(
  values: ReadonlyMap<string, Value>,
  events: readonly RunEvent[],
  { none, reduce }: RunReducer<Value>,
): ReadonlyMap<string, Value> {
  let changed: Map<string, Value> | undefined
  for (const event of events) {
    const before = (changed ?? values).get(event.runId) ?? none
    const after = reduce(before, event)
    if (after === before) continue
    changed ??= new Map(values)
    changed.set(event.runId, after)
  }
  return changed ?? values
}
