import type { TimelineRow } from '@troupe/timeline'

/** Row of a frame: a timeline row, or the number of rows that do not fit. */
export type FrameRow = TimelineRow | { readonly kind: 'cut'; readonly indent: 0; readonly count: number }

/**
 * Returns the rows that fit into `height` lines, in their order. If there are too many, ended rows are
 * removed first, then queued, running and waiting ones, but never the first row. The last line counts the
 * removed rows.
 */
export function fitRows(rows: readonly TimelineRow[], height: number): readonly FrameRow[] {
  if (rows.length <= height) return rows
  if (height < 2) return rows.slice(0, height)
  const rowLimit = height - 1
  const ranked = rows
    .map((row, index) => ({ index, rank: rankOf(row, index) }))
    .toSorted((a, b) => a.rank - b.rank || a.index - b.index)
  const shownRows = new Set(ranked.slice(0, rowLimit).map(({ index }) => index))
  const hiddenRows = rows.filter((_, index) => !shownRows.has(index))
  const count = hiddenRows.reduce((sum, row) => sum + (row.kind === 'more' ? row.count : 1), 0)
  return [...rows.filter((_, index) => shownRows.has(index)), { kind: 'cut', indent: 0, count }]
}

function rankOf(row: TimelineRow, index: number): number {
  if (index === 0) return 0
  if (row.kind === 'queued') return 3
  if (row.kind === 'more') return 4
  if (row.run.state === 'waiting') return 1
  return row.run.state === 'running' ? 2 : 5
}
