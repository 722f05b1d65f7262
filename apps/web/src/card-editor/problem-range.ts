/** A part of a text, as offsets. */
export interface UnderlinedRange {
  readonly from: number
  readonly to: number
}

/**
 * Returns the part of a text to underline for a problem at a line and column, both from 1: the key or value that
 * begins there, or the first line for a problem without a place.
 */
export function problemRange(
  text: string,
  { line = 1, column = 1 }: { readonly line?: number | undefined; readonly column?: number | undefined },
): UnderlinedRange {
  const start = lineStart(text, line)
  const end = lineEnd(text, start)
  const from = Math.min(start + Math.max(0, column - 1), end)
  const [word = ''] =
    /^(?:"[^"]*"|'[^']*'|[^\s:,#[\]{}]+(?=:(?:\s|$))|[^\s,#[\]{}]+)/u.exec(text.slice(from, end)) ?? []
  const to = from + word.length
  if (to > from) return { from, to }
  // Nothing begins there, so underline the line without its indentation.
  const indent = /^\s*/u.exec(text.slice(start, end))?.[0].length ?? 0
  return { from: Math.min(start + indent, end), to: end }
}

function lineStart(text: string, line: number): number {
  let start = 0
  for (let count = 1; count < line; count += 1) {
    const next = text.indexOf('\n', start)
    // The text has fewer lines.
    if (next < 0) return start
    start = next + 1
  }
  return start
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  const last = end < 0 ? text.length : end
  return text[last - 1] === '\r' ? last - 1 : last
}
