/** Maximum characters of a page, and of a line in it. */
const MAX_PAGE = 60_000
const MAX_LINE = 20_000

/** A range of lines of a text, counted from 1. `to` is less than `from` if there are no lines. */
interface LinePage {
  readonly text: string
  readonly from: number
  readonly to: number
  /** Number of lines in the whole text. */
  readonly lines: number
  /** True if a line was too long and was cut. */
  readonly isCut: boolean
}

/**
 * Returns a page of a text: up to `limit` lines, or fewer if they are long, but at least one if there is any.
 */
export function linePage(
  text: string,
  options: { readonly offset: number; readonly limit: number; readonly lineNumbers: boolean },
): LinePage {
  const lines = splitLines(text)
  const from = options.offset
  const shown: string[] = []
  let size = 0
  let isCut = false
  for (const line of lines.slice(from - 1, from - 1 + options.limit)) {
    const cut = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line
    size += cut.length + 1
    if (size > MAX_PAGE && shown.length > 0) break
    isCut ||= cut !== line
    shown.push(options.lineNumbers ? `${from + shown.length}\t${cut}` : cut)
  }
  return { text: shown.join('\n'), from, to: from + shown.length - 1, lines: lines.length, isCut }
}

/** Returns the note below a page that says where to continue. Empty if the page has the whole text. */
export function pageNote({ from, to, lines, isCut }: LinePage, what: string): string {
  const cut = isCut ? ' Long lines are truncated.' : ''
  if (lines === 0) return `[The ${what} is empty.]`
  if (from > lines) return `[The ${what} has only ${lines} lines; nothing to read from line ${from} on.]`
  if (to < lines) return `\n[Lines ${from} to ${to} of ${lines}. Continue with offset ${to + 1}.${cut}]`
  return cut === '' ? '' : `\n[${cut.trim()}]`
}

/** Splits a text into lines without line breaks. A trailing line break does not start another line. */
export function splitLines(text: string): readonly string[] {
  if (text === '') return []
  const lines = text.split(/\r?\n/u)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
