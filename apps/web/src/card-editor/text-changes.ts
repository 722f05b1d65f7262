import { diffLines, diffWordsWithSpace } from 'diff'

/** A part of a comparison of two texts. */
export interface TextChange {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** Maximum length of texts that are compared. */
const MAX_LENGTH = 200_000
/** Maximum number of differences, and maximum time in ms. Comparing very different texts takes long. */
const LIMITS = { maxEditLength: 4000, timeout: 200 }
/** Number of equal lines that are shown around a difference. */
const CONTEXT = 3

/** Compares two texts line by line. Returns `undefined` if they differ too much. */
export function lineChanges(before: string, after: string): readonly TextChange[] | undefined {
  if (before.length + after.length > MAX_LENGTH) return undefined
  return toChanges(diffLines(before, after, LIMITS))
}

/** Compares two texts word by word. Returns `undefined` if they differ too much. */
export function wordChanges(before: string, after: string): readonly TextChange[] | undefined {
  if (before.length + after.length > MAX_LENGTH) return undefined
  return toChanges(diffWordsWithSpace(before, after, LIMITS))
}

function toChanges(
  changes:
    | readonly { readonly value: string; readonly added: boolean; readonly removed: boolean }[]
    | undefined,
): readonly TextChange[] | undefined {
  return changes?.map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }))
}

/** A line of a comparison, or a number of equal lines that are left out. */
export type DiffLine =
  | {
      readonly kind: TextChange['kind']
      readonly text: string
      readonly before?: number
      readonly after?: number
    }
  | { readonly kind: 'hidden'; readonly count: number }

/** Returns the lines of a comparison with their numbers, and leaves out equal lines far from differences. */
export function diffRows(changes: readonly TextChange[]): readonly DiffLine[] {
  let before = 0
  let after = 0
  return changes.flatMap(({ kind, text }, index): readonly DiffLine[] => {
    const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
    const rows = lines.map((line): DiffLine => {
      if (kind !== 'added') before += 1
      if (kind !== 'removed') after += 1
      return {
        kind,
        text: line,
        ...(kind === 'added' ? {} : { before }),
        ...(kind === 'removed' ? {} : { after }),
      }
    })
    if (kind !== 'same') return rows
    const start = index === 0 ? 0 : CONTEXT
    const end = index === changes.length - 1 ? 0 : CONTEXT
    const count = rows.length - start - end
    if (count <= 1) return rows
    return [...rows.slice(0, start), { kind: 'hidden', count }, ...rows.slice(rows.length - end)]
  })
}
