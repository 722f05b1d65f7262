import type { StreamRedactor } from '@troupe/schema'

/** Creates a redactor for text in pieces. It withholds the end of a piece while a secret may start there. */
export function redactPieces(
  needles: readonly Needle[],
  starts: ReadonlyMap<string, readonly Needle[]>,
): StreamRedactor {
  let held = ''
  return {
    push: (piece) => {
      const text = held + piece
      const ready = firstOpenNeedle(text, { needles, starts })
      held = text.slice(ready)
      return replaceAll(text.slice(0, ready), needles)
    },
    end: () => {
      const rest = held
      held = ''
      return replaceAll(rest, needles)
    },
  }
}

/** Returns the index of the first secret that the end of `text` may cut off, or `text.length`. */
function firstOpenNeedle(
  text: string,
  {
    needles,
    starts,
  }: { readonly needles: readonly Needle[]; readonly starts: ReadonlyMap<string, readonly Needle[]> },
): number {
  const longest = needles[0]?.text.length ?? 0
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    const tail = text.length - at
    const isOpen = starts
      .get(text.charAt(at))
      ?.some((needle) => needle.text.length > tail && needle.text.startsWith(text.slice(at)))
    if (isOpen === true) return beforeSpanningNeedle(text, at, needles)
  }
  return text.length
}

/** Moves the split position `at` before any complete secret that spans it. */
function beforeSpanningNeedle(text: string, at: number, needles: readonly Needle[]): number {
  let first = at
  for (const { text: needle } of needles) {
    const from = Math.max(0, at - needle.length + 1)
    const found = text.indexOf(needle, from)
    if (found !== -1 && found < at && found + needle.length > at) first = Math.min(first, found)
  }
  return first
}

const ELLIPSIS = '…'
/** Minimum length of a secret prefix to redact. Shorter prefixes reveal little and may match by chance. */
const SHORTEST = 6

/** Redacts secrets cut off by `…`, because text may be shortened before its secrets are redacted. */
export function hideCutSecrets(text: string, needles: readonly Needle[]): string {
  let result = ''
  let from = 0
  for (let at = text.indexOf(ELLIPSIS); at !== -1; at = text.indexOf(ELLIPSIS, at + 1)) {
    const cut = secretPrefixAtEnd(text.slice(from, at), needles)
    if (cut !== undefined) result += text.slice(from, at - cut.length) + cut.replacement
    else result += text.slice(from, at)
    from = at
  }
  return result + text.slice(from)
}

/** Returns the longest secret prefix that `text` ends with. */
function secretPrefixAtEnd(
  text: string,
  needles: readonly Needle[],
): { readonly length: number; readonly replacement: string } | undefined {
  const longest = needles[0]?.text.length ?? 0
  const tail = text.slice(-longest)
  for (let at = 0; at <= tail.length - SHORTEST; at += 1) {
    const end = tail.slice(at)
    const needle = needles.find((each) => each.text.startsWith(end))
    if (needle !== undefined) return { length: end.length, replacement: needle.replacement }
  }
  return undefined
}

/** A string to search for and its replacement. */
export interface Needle {
  readonly text: string
  readonly replacement: string
}

/**
 * Replaces all needles in one pass from left to right; replacements are not searched again. If two matches
 * start at the same position, the earlier needle in the list wins.
 */
export function replaceAll(text: string, needles: readonly Needle[]): string {
  if (!needles.some((needle) => text.includes(needle.text))) return text
  const found: { readonly needle: Needle; at: number }[] = []
  for (const needle of needles) {
    const at = text.indexOf(needle.text)
    if (at !== -1) found.push({ needle, at })
  }
  let result = ''
  let position = 0
  while (found.length > 0) {
    const next = found.reduce((best, match) => (match.at < best.at ? match : best))
    result += text.slice(position, next.at) + next.needle.replacement
    position = next.at + next.needle.text.length
    advanceMatches(text, found, position)
  }
  return result + text.slice(position)
}

function advanceMatches(
  text: string,
  found: { readonly needle: Needle; at: number }[],
  position: number,
): void {
  for (let index = found.length - 1; index >= 0; index -= 1) {
    const match = found[index]
    if (match === undefined || match.at >= position) continue
    match.at = text.indexOf(match.needle.text, position)
    if (match.at === -1) found.splice(index, 1)
  }
}
