import type { BundleSizes } from './bundle-sizes.ts'
import type { InstalledSize } from './installed-size.ts'

/** The measured sizes of one library. */
export interface SizeRow extends InstalledSize, BundleSizes {
  /** As it is shown in the table. */
  readonly label: string
}

const START = '<!-- sizes:start -->'
const END = '<!-- sizes:end -->'

/** Formats sizes as a table in Markdown. */
export function formatSizes(rows: readonly SizeRow[]): string {
  return [
    '| library | installed | packages | bundled | gzip | brotli |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.label} | ${megabytes(row.installedBytes)} | ${row.packages} | ${kilobytes(row.startBytes)} | ${kilobytes(row.startGzipBytes)} | ${kilobytes(row.startBrotliBytes)} |`,
    ),
  ].join('\n')
}

/** Replaces the table between the markers of a page. Throws if the page has none. */
export function replaceSizes(page: string, table: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start === -1 || end < start) throw new Error(`The page has no ${START} and ${END}.`)
  return `${page.slice(0, start + START.length)}\n\n${table}\n\n${page.slice(end)}`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000).toLocaleString('en')} kB`
}
