/** The candidate that a mistyped name most likely means; undefined when none is near. */
export function closestName(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase().slice(0, 64)
  let best: string | undefined
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance >= least) continue
    least = distance
    best = candidate
  }
  return best
}

/** How many letters to insert, delete, replace, or swap with the next one, to get from one text to the other. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let at = 0; at < from.length; at += 1) {
    const next = [at + 1]
    for (let column = 0; column < to.length; column += 1) {
      const same = from[at] === to[column]
      const swapped = from[at] === to[column - 1] && from[at - 1] === to[column]
      next.push(
        Math.min(
          cell(row, column) + (same ? 0 : 1),
          cell(row, column + 1) + 1,
          cell(next, column) + 1,
          swapped ? cell(before, column - 1) + 1 : Infinity,
        ),
      )
    }
    before = row
    row = next
  }
  return cell(row, to.length)
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
