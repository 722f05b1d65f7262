import type { RedactedPieces } from '@troupe/schema'
import { replaceAll, type Needle } from './replace-all.ts'

/** Redacts a text that comes in pieces: the end of a piece is kept back as long as a needle may begin there. */
export function redactPieces(
  needles: readonly Needle[],
  starts: ReadonlyMap<string, readonly Needle[]>,
): RedactedPieces {
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

/** Where a needle begins that the text may break off; its length: nowhere. What lies before it is whole. */
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
    if (isOpen === true) return beforeOverlap(text, at, needles)
  }
  return text.length
}

/** A whole needle that reaches over the place is not cut in two. */
function beforeOverlap(text: string, at: number, needles: readonly Needle[]): number {
  let first = at
  for (const { text: needle } of needles) {
    const from = Math.max(0, at - needle.length + 1)
    const found = text.indexOf(needle, from)
    if (found !== -1 && found < at && found + needle.length > at) first = Math.min(first, found)
  }
  return first
}
