/** A table of texts. */
export interface CsvTable {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Longest text that is shown as a table, in characters: 0.1 s. */
const MAX_LENGTH = 4_000_000
/** More columns are not shown. */
const MAX_COLUMNS = 200

/**
 * Parses comma-separated values by RFC 4180: fields may be quoted, and then contain delimiters, line breaks and
 * doubled quotes. Without `delimiter`, the most frequent one of the first line is taken. Returns `undefined` for a
 * text that is too long or has no rows.
 */
export function parseCsv(source: string, delimiter?: string): CsvTable | undefined {
  if (source.length > MAX_LENGTH) return undefined
  const text = source.startsWith('\u{FEFF}') ? source.slice(1) : source
  const [header, ...rows] = readRecords(text, delimiter ?? findDelimiter(text))
  if (header === undefined || rows.length === 0) return undefined
  return { header, rows }
}

function findDelimiter(text: string): string {
  const [line = ''] = text.split('\n', 1)
  const unquoted = line.replaceAll(/"[^"]*"/gu, '')
  const count = (delimiter: string): number => unquoted.split(delimiter).length
  return [',', ';', '\t', '|'].toSorted((a, b) => count(b) - count(a))[0] ?? ','
}

function readRecords(text: string, delimiter: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  let at = 0
  while (at < text.length) {
    const { value, end } = text[at] === '"' ? readQuoted(text, at) : { value: '', end: at }
    const stop = fieldEnd(text, end, delimiter)
    // text after the closing quote is not allowed, but nothing is lost
    if (record.length < MAX_COLUMNS) record.push(value + text.slice(end, stop))
    if (text[stop] === delimiter && stop < text.length - 1) {
      at = stop + 1
      continue
    }
    if (text[stop] === delimiter && record.length < MAX_COLUMNS) record.push('')
    if (record.length > 1 || record[0] !== '') records.push(record)
    record = []
    at = stop + (text.startsWith('\r\n', stop) ? 2 : 1)
  }
  return records
}

function readQuoted(text: string, start: number): { readonly value: string; readonly end: number } {
  let end = start + 1
  for (;;) {
    end = text.indexOf('"', end)
    if (end === -1) end = text.length
    if (text[end + 1] !== '"') break
    end += 2
  }
  return { value: text.slice(start + 1, end).replaceAll('""', '"'), end: Math.min(end + 1, text.length) }
}

/** Returns the position of the next delimiter or line end. */
function fieldEnd(text: string, start: number, delimiter: string): number {
  let at = start
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1
  return at
}

/** The order of the rows by one column. */
export interface CsvOrder {
  readonly column: number
  readonly isDescending: boolean
}

/** Returns the rows in an order. Numbers are compared as numbers, and empty fields come last. */
export function sortRows(rows: CsvTable['rows'], order: CsvOrder | undefined): CsvTable['rows'] {
  if (order === undefined) return rows
  const { column, isDescending } = order
  const collator = new Intl.Collator(undefined, { numeric: true })
  const compare = (left: string, right: string): number => {
    if (left === '' || right === '') return left === right ? 0 : left === '' ? 1 : -1
    const difference = Number(left) - Number(right)
    const result = Number.isNaN(difference) ? collator.compare(left, right) : difference
    return isDescending ? -result : result
  }
  return rows.toSorted((left, right) => compare(left[column] ?? '', right[column] ?? ''))
}
