import { diffArrays } from 'diff'
import { visibleText } from './visible-text.ts'

/** One line of an argument. */
export interface CallLine {
  readonly text: string
  /**
   * Set in a replacement for lines that only the old or the new text has, and for one that stands for unchanged
   * lines that are not shown.
   */
  readonly change?: 'added' | 'removed' | 'skipped'
}

/** Most insertions and deletions that are looked for, which bounds the work. */
const MAX_EDITS = 1000

/** Returns the lines of a text, with invisible characters escaped. */
export function toLines(text: string): readonly CallLine[] {
  return text.split('\n').map((line) => ({ text: visibleText(line) }))
}

/** Returns the lines of two texts, with those that both share only once. */
export function compareLines(before: string, after: string): readonly CallLine[] {
  const removed = toLines(before)
  const added = toLines(after)
  const texts = (lines: readonly CallLine[]): string[] => lines.map(({ text }) => text)
  const changes = diffArrays(texts(removed), texts(added), { maxEditLength: MAX_EDITS })
  if (changes === undefined) return compareEnds(removed, added)
  return changes.flatMap(({ value, added: isAdded, removed: isRemoved }) =>
    value.map((text): CallLine => {
      if (isAdded) return { text, change: 'added' }
      return isRemoved ? { text, change: 'removed' } : { text }
    }),
  )
}

/** Compares texts that are very different: only their common lines at the start and the end are shown once. */
function compareEnds(removed: readonly CallLine[], added: readonly CallLine[]): readonly CallLine[] {
  const most = Math.min(removed.length, added.length)
  let start = 0
  while (start < most && removed[start]?.text === added[start]?.text) start += 1
  let end = 0
  while (end < most - start && removed.at(-1 - end)?.text === added.at(-1 - end)?.text) end += 1
  return [
    ...removed.slice(0, start),
    ...removed.slice(start, removed.length - end).map(({ text }) => ({ text, change: 'removed' as const })),
    ...added.slice(start, added.length - end).map(({ text }) => ({ text, change: 'added' as const })),
    ...removed.slice(removed.length - end),
  ]
}

/** Number of unchanged lines that are shown around a change. */
const CONTEXT = 3

/** Replaces unchanged lines that are far from any change by their number. */
export function skipUnchanged(lines: readonly CallLine[]): readonly CallLine[] {
  const isNear = new Uint8Array(lines.length)
  for (const [index, { change }] of lines.entries())
    if (change !== undefined) isNear.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1)
  const shown: CallLine[] = []
  for (let index = 0; index < lines.length;) {
    let end = index
    while (end < lines.length && isNear[end] === 0) end += 1
    // A single line is shown: its number would take the same space.
    if (end - index > 1) {
      shown.push({ text: `${end - index} unchanged lines`, change: 'skipped' })
      index = end
    } else {
      const line = lines[index]
      if (line !== undefined) shown.push(line)
      index += 1
    }
  }
  return shown
}
