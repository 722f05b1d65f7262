import type { RunEvent } from '@troupe/schema'
import type { CassetteEntry } from './cassette.ts'
import { differenceText, firstDifference, type Difference } from './first-difference.ts'
import { entryName } from './entry-name.ts'
import { createPlaces } from './places.ts'
import { toEntry } from './to-entry.ts'

/** Where two runs part first. */
export type Change =
  | { readonly kind: 'other'; readonly entry: CassetteEntry; readonly difference: Difference }
  /** It did not happen again, or happened for the first time. */
  | { readonly kind: 'missing' | 'new'; readonly entry: CassetteEntry }

/** A change in words. */
export function changeText(change: Change): string {
  const name = entryName(change.entry)
  if (change.kind === 'other') return differenceText(change.difference, name)
  return change.kind === 'missing' ? `${name} did not happen again` : `${name} is new`
}

/** Where two runs part first; undefined: they did the same. Runs and calls that go side by side may be in another order. */
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

/** Models name their calls as it comes, and what they used says less than what they did. */
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
