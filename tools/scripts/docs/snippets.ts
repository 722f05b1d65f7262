/** A step that a page shows its reader: a file to write, or commands to type with their output. */
export type Snippet =
  | { readonly kind: 'file'; readonly path: string; readonly content: string; readonly line: number }
  | {
      readonly kind: 'session'
      readonly commands: readonly string[]
      readonly expected: readonly string[]
      readonly line: number
    }

const OPENING = /^(?<mark>`{3,})(?<language>\S*)(?:\s+(?<info>.*))?$/u

/** The fences of a page that say `file=path`, and those of the language `console`. A longer mark may hold fences itself. */
export function readSnippets(page: string): readonly Snippet[] {
  const snippets: Snippet[] = []
  const lines = page.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const { mark, language, info = '' } = OPENING.exec(lines[at] ?? '')?.groups ?? {}
    if (mark === undefined) continue
    const line = at + 1
    const length = lines.slice(line).indexOf(mark)
    if (length === -1) throw new Error(`The code block in line ${line} has no end.`)
    const content = lines.slice(line, line + length)
    at = line + length
    const path = /(?:^|\s)file=(?<path>\S+)/u.exec(info)?.groups?.['path']
    if (path !== undefined) snippets.push({ kind: 'file', path, content: `${content.join('\n')}\n`, line })
    else if (language === 'console') snippets.push(toSession(content, line))
  }
  return snippets
}

/** Returns the commands, which begin with `$ ` and continue with `> `, and their output, which is all other lines. */
function toSession(lines: readonly string[], line: number): Snippet {
  const isTyped = (text: string): boolean => text.startsWith('$ ') || text.startsWith('> ')
  return {
    kind: 'session',
    commands: lines.filter(isTyped).map((text) => text.slice(2)),
    expected: lines.filter((text) => !isTyped(text)),
    line,
  }
}

/** True when the lines are those expected, where `…` stands for any text and a line of `…` alone for any lines. */
export function isAsExpected(seen: readonly string[], expected: readonly string[]): boolean {
  const [first, ...rest] = expected
  if (first === undefined) return seen.length === 0
  if (first.trim() === '…')
    return seen.some((_, skip) => isAsExpected(seen.slice(skip), rest)) || isAsExpected([], rest)
  const [line, ...others] = seen
  return line !== undefined && isLike(line, first) && isAsExpected(others, rest)
}

function isLike(line: string, expected: string): boolean {
  const pieces = expected.trimEnd().split('…')
  const [start = ''] = pieces
  const text = line.trimEnd()
  if (pieces.length === 1) return text === start
  if (!text.startsWith(start)) return false
  let from = start.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, from)
    if (found === -1) return false
    from = found + piece.length
  }
  const end = pieces.at(-1) ?? ''
  return text.length - end.length >= from && text.endsWith(end)
}
