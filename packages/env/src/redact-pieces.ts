import type { StreamRedactor } from '@troupe/schema'
import { replaceAll, type Needle } from './replace-all.ts'

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
