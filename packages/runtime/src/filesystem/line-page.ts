/** Characters of one page and of one line in it. */
const MAX_PAGE = 60_000
const MAX_LINE = 20_000

/** Some lines of a text. Lines count from 1; `to` is below `from` where there are none. */
export interface LinePage {
  readonly text: string
  readonly from: number
  readonly to: number
  /** Of the whole text. */
  readonly lines: number
  /** A line was too long and shows its start only. */
  readonly isCut: boolean
}

/** A page of a text: at most `limit` lines, and fewer where they are long. At least one, if there is one. */
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

/** Lines without their ends; an end at the very end begins no further line. */
export function splitLines(text: string): readonly string[] {
  if (text === '') return []
  const lines = text.split(/\r?\n/u)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
