import { type RunEvent, isJsonObject, type Json } from '@troupe/schema'
import type { CassetteEntry } from './cassette.ts'
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
  const remaining = Map.groupBy(toEntries(after), sequenceKeyOf)
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

function sequenceKeyOf({ run, call = '' }: CassetteEntry): string {
  return `${run} ${call}`
}

/** The first difference between two values. A side is `undefined` if it has no such member. */
export interface Difference {
  /** Path such as `messages[2].content[0].text`; empty if the values themselves differ. */
  readonly path: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/**
 * Returns the first difference between two values, in the key order of the first; `undefined` if they are
 * equal.
 */
export function firstDifference(
  before: Json | undefined,
  after: Json | undefined,
  path = '',
): Difference | undefined {
  if (Object.is(before, after)) return undefined
  if (Array.isArray(before) && Array.isArray(after))
    return firstOf(indexes(before, after), (index) =>
      firstDifference(before[index] as Json, after[index] as Json, `${path}[${index}]`),
    )
  if (isJsonObject(before) && isJsonObject(after))
    return firstOf(new Set([...Object.keys(before), ...Object.keys(after)]), (key) =>
      firstDifference(before[key], after[key], path === '' ? key : `${path}.${key}`),
    )
  return { path, before, after }
}

function* indexes(before: readonly unknown[], after: readonly unknown[]): Generator<number> {
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) yield index
}

function firstOf<T>(all: Iterable<T>, compare: (each: T) => Difference | undefined): Difference | undefined {
  for (const each of all) {
    const found = compare(each)
    if (found !== undefined) return found
  }
  return undefined
}

const SHOWN = 160
const BEFORE = 40

/** Describes a difference. Long texts are shown from shortly before the first different character. */
export function differenceText({ path, before, after }: Difference, location: string): string {
  const at = path === '' ? location : `${location}, ${path}`
  const start = typeof before === 'string' && typeof after === 'string' ? excerptStart(before, after) : 0
  return `${at}: recorded ${toExcerpt(before, start)}, now ${toExcerpt(after, start)}`
}

function excerptStart(before: string, after: string): number {
  let index = 0
  while (index < before.length && before[index] === after[index]) index += 1
  return Math.max(0, index - BEFORE)
}

function toExcerpt(value: Json | undefined, start: number): string {
  if (value === undefined) return 'nothing'
  if (typeof value !== 'string') return cut(JSON.stringify(value))
  return `${start > 0 ? '…' : ''}${cut(JSON.stringify(value.slice(start)))}`
}

function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`
}
