import type { RunEvent } from '@troupe/schema'
import type { CassetteEntry } from './cassette.ts'
import { differenceText, firstDifference, type Difference } from './first-difference.ts'
import { entryName, toEntry } from './to-entry.ts'
import { createRunPaths } from './run-paths.ts'

/** The first difference between two runs. */
export type RunChange =
  | { readonly kind: 'other'; readonly entry: CassetteEntry; readonly difference: Difference }
  /** The entry is missing from the second run, or is new in it. */
  | { readonly kind: 'missing' | 'new'; readonly entry: CassetteEntry }

/** Describes a change in one line. */
export function changeText(change: RunChange): string {
  const name = entryName(change.entry)
  if (change.kind === 'other') return differenceText(change.difference, name)
  return change.kind === 'missing' ? `${name} did not happen again` : `${name} is new`
}

/**
 * Returns the first difference between two runs; `undefined` if they did the same. The order of concurrent
 * runs and calls is ignored.
 */
export function firstChange(before: readonly RunEvent[], after: readonly RunEvent[]): RunChange | undefined {
  const remaining = groupBySequence(toEntries(after))
  for (const entry of toEntries(before)) {
    const other = remaining.get(sequenceKeyOf(entry))?.shift()
    if (other === undefined) return { kind: 'missing', entry }
    const difference = firstDifference(entry, other)
    if (difference !== undefined) return { kind: 'other', entry, difference }
  }
  const [added] = Array.from(remaining.values(), ([first]) => first).filter((entry) => entry !== undefined)
  return added === undefined ? undefined : { kind: 'new', entry: added }
}

function toEntries(events: readonly RunEvent[]): readonly CassetteEntry[] {
  const runPaths = createRunPaths(events[0]?.rootRunId ?? '')
  return events.map((event) => {
    runPaths.addEvent(event)
    return withoutVolatileKeys(toEntry(event, runPaths.pathOf(event.runId)))
  })
}

/**
 * Removes the ids that models choose for calls, and token counts and costs, which vary between equal runs.
 */
function withoutVolatileKeys(entry: CassetteEntry): CassetteEntry {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !VOLATILE_KEYS.has(key))) as CassetteEntry
}

const VOLATILE_KEYS: ReadonlySet<string> = new Set(['toolUseId', 'tokens', 'cost', 'estimated'])

function groupBySequence(entries: readonly CassetteEntry[]): ReadonlyMap<string, CassetteEntry[]> {
  return Map.groupBy(entries, sequenceKeyOf)
}

function sequenceKeyOf({ run, call = '' }: CassetteEntry): string {
  return `${run} ${call}`
}
