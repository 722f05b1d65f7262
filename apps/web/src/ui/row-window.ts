/** A range of rows, without the row at `end`. */
export interface RowRange {
  readonly start: number
  readonly end: number
}

/** The part of a list that is in sight, in px from its first row. */
interface Sight {
  readonly top: number
  readonly height: number
}

/** Number of rows that are drawn above and below those in sight. */
const OVERSCAN = 12

/** Returns the position of each row and, at the end, the height of all rows, in px. */
export function offsetsOf(heights: readonly number[]): Float64Array {
  const offsets = new Float64Array(heights.length + 1)
  for (const [index, height] of heights.entries()) offsets[index + 1] = (offsets[index] ?? 0) + height
  return offsets
}

/** Returns the rows to draw: those in sight and some around them. */
export function rowsInSight(offsets: Float64Array, { top, height }: Sight): RowRange {
  const count = offsets.length - 1
  return {
    start: Math.max(0, rowAt(offsets, top) - OVERSCAN),
    end: Math.min(count, rowAt(offsets, top + height) + 1 + OVERSCAN),
  }
}

/** Returns the last row that begins at or above a position; 0 if there is none. */
function rowAt(offsets: Float64Array, position: number): number {
  let low = 0
  let high = offsets.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((offsets[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}
