/** Longest name that is compared, because the cost grows with the product of both lengths. */
const LONGEST = 100

/**
 * Returns the candidate that a misspelt name most likely means, for "did you mean"; `undefined` if none is
 * close. Ignores case, `_` and `-`. At most a third of the characters may differ; two swapped neighbours
 * count as one difference. Ties go to a candidate of the same length, then to the first.
 */
export function closest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > LONGEST) return undefined
  const normalizedName = normalizeName(name)
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of candidates) {
    if (candidate.length > LONGEST) continue
    const normalized = normalizeName(candidate)
    const edits = editDistance(normalizedName, normalized)
    // half an edit, so that it only breaks ties
    const distance = edits + (normalized.length === normalizedName.length ? 0 : 0.5)
    if (edits > maxEdits(normalizedName, normalized) || distance >= (best?.distance ?? Infinity)) continue
    best = { candidate, distance }
  }
  return best?.candidate
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/gu, '')
}

function maxEdits(normalizedName: string, candidate: string): number {
  return Math.floor(Math.max(normalizedName.length, candidate.length) / 3)
}

/** Counts the insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1]
      const change = at(last, column - 1) + (same ? 0 : 1)
      const insertOrDelete = Math.min(at(current, column - 1), at(last, column)) + 1
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swap = isSwap ? at(beforeLast, column - 2) + 1 : Infinity
      current.push(Math.min(change, insertOrDelete, swap))
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
