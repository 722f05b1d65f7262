import type { Json } from '@troupe/schema'
import type { PatternGuard, TextMatch } from '@troupe/schema/ports'

/** The matches of a pattern guard in a value, and the value without them. */
interface FoundMatches {
  /** Kinds of the matches, without duplicates. */
  readonly kinds: ReadonlySet<string>
  readonly redacted: Json
}

/** Searches every text of a value, keys and numbers included. Returns `undefined` if nothing is found. */
export function findInValue({ find }: Pick<PatternGuard, 'find'>, value: Json): FoundMatches | undefined {
  const kinds = new Set<string>()
  const redacted = mapTexts(value, (text) => {
    const matches = find(text)
    for (const { kind } of matches) kinds.add(kind)
    return replaceMatches(text, matches)
  })
  return kinds.size === 0 ? undefined : { kinds, redacted }
}

/** Replaces each match by a marker with its kind. */
export function replaceMatches(text: string, matches: readonly TextMatch[]): string {
  let result = ''
  let at = 0
  for (const { start, end, kind } of matches) {
    result += `${text.slice(at, start)}[redacted:${kind}]`
    at = end
  }
  return at === 0 ? text : result + text.slice(at)
}

/** Applies `change` to every text. A number is a text too: digits may be an account or a card. */
function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (typeof value === 'number') {
    const text = String(value)
    const changed = change(text)
    return changed === text ? value : changed
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapTexts(item, change))
  // `fromEntries` always creates own properties, even for a key such as `__proto__`
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key), mapTexts(member, change)]),
  )
}
