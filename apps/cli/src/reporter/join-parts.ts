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
  const shown = parts.filter(({ text }) => text !== '')
  const line = shown.map(({ text }) => text).join(style.dim(SEPARATOR))
  const [least] = shown
    .filter(({ dropOrder }) => dropOrder !== undefined)
    .toSorted((a, b) => (a.dropOrder ?? 0) - (b.dropOrder ?? 0))
  if (stringWidth(line) <= width || least === undefined) return line
  return joinParts(
    shown.filter((part) => part !== least),
    { width, style },
  )
}
