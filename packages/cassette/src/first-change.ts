import type { RunEvent } from '@troupe/schema'
import type { CassetteEntry } from './cassette.ts'
import { differenceText, firstDifference, type Difference } from './first-difference.ts'
import { entryName } from './entry-name.ts'
import { createPlaces } from './places.ts'
import { toEntry } from './to-entry.ts'

/** The first difference between two runs. */
export type Change =
  | { readonly kind: 'other'; readonly entry: CassetteEntry; readonly difference: Difference }
  /** The entry is missing from the second run, or is new in it. */
  | { readonly kind: 'missing' | 'new'; readonly entry: CassetteEntry }

/** Describes a change in one line. */
export function changeText(change: Change): string {
  const name = entryName(change.entry)
  if (change.kind === 'other') return differenceText(change.difference, name)
  return change.kind === 'missing' ? `${name} did not happen again` : `${name} is new`
}

/**
 * Returns the first difference between two runs; `undefined` if they did the same. The order of concurrent
 * runs and calls is ignored.
 */
export function firstChange(before: readonly RunEvent[], after: readonly RunEvent[]): Change | undefined {
  const now = byThread(toEntries(after))
  for (const entry of toEntries(before)) {
    const other = now.get(threadOf(entry))?.shift()
    if (other === undefined) return { kind: 'missing', entry }
    const difference = firstDifference(entry, other)
    if (difference !== undefined) return { kind: 'other', entry, difference }
  }
  const [added] = Array.from(now.values(), ([first]) => first).filter((entry) => entry !== undefined)
  return added === undefined ? undefined : { kind: 'new', entry: added }
}

function toEntries(events: readonly RunEvent[]): readonly CassetteEntry[] {
  const places = createPlaces(events[0]?.rootRunId ?? '')
  return events.map((event) => {
    places.see(event)
    return withoutChance(toEntry(event, places.of(event.runId)))
  })
}

/**
 * Removes the ids that models choose for calls, and token counts and costs, which vary between equal runs.
 */
function withoutChance(entry: CassetteEntry): CassetteEntry {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !CHANCE.has(key))) as CassetteEntry
}

const CHANCE: ReadonlySet<string> = new Set(['toolUseId', 'tokens', 'cost', 'estimated'])

function byThread(entries: readonly CassetteEntry[]): ReadonlyMap<string, CassetteEntry[]> {
  return Map.groupBy(entries, threadOf)
}

function threadOf({ run, call = '' }: CassetteEntry): string {
  return `${run} ${call}`
}
