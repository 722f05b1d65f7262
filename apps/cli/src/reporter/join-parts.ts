import stringWidth from 'string-width'
import type { Style } from '../terminal/terminal.ts'

/** Part of a line that is shown as a whole or not at all. */
export interface LinePart {
  readonly text: string
  /** Order in which parts are left out of a line that is too long, lowest first. Without it, the part stays. */
  readonly dropOrder?: number
}

const SEPARATOR = ' · '

/** Joins the parts that have a text, and leaves out the least important ones until the line fits into `width`. */
export function joinParts(
  parts: readonly LinePart[],
  { width, style }: { readonly width: number; readonly style: Style },
): string {
  const shown = parts
    .filter(({ text }) => text !== '')
    .map((part) => ({ ...part, width: stringWidth(part.text) + SEPARATOR.length }))
  const order = shown
    .filter(({ dropOrder }) => dropOrder !== undefined)
    .toSorted((a, b) => (a.dropOrder ?? 0) - (b.dropOrder ?? 0))
  let excess = shown.reduce((sum, part) => sum + part.width, -SEPARATOR.length) - width
  const dropped = new Set<LinePart>()
  for (const part of order) {
    if (excess <= 0) break
    dropped.add(part)
    excess -= part.width
  }
  return shown
    .filter((part) => !dropped.has(part))
    .map(({ text }) => text)
    .join(style.dim(SEPARATOR))
}
