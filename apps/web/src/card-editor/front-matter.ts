/** A path in the front matter: keys, and positions in lists. */
export type YamlPath = readonly (string | number)[]

/** The place in the front matter where a person types. */
export interface YamlCursor {
  /** `key`: a key of the mapping at `path`. `value`: the value at `path`. `entry`: either, in a new list entry. */
  readonly kind: 'key' | 'value' | 'entry'
  readonly path: YamlPath
  /** Start of the typed word, as an offset in the text. */
  readonly from: number
  /** Keys that the mapping already has. */
  readonly siblings: readonly string[]
}

/** Maximum length of a front matter that is searched, because each key press searches it. */
const MAX_LENGTH = 100_000
const FENCE = /^---[ \t]*$/u

/** Returns the offsets of the front matter of a card, without its fences; `undefined` if there is none. */
export function frontMatterOf(text: string): { readonly from: number; readonly to: number } | undefined {
  const start = /^\uFEFF?(?:#!.*\r?\n)?---[ \t]*\r?\n/u.exec(text)
  if (start === null) return undefined
  const from = start[0].length
  let at = from
  for (const line of text.slice(from, from + MAX_LENGTH).split('\n')) {
    if (FENCE.test(line.replace(/\r$/u, ''))) return { from, to: at }
    at += line.length + 1
  }
  // The closing line is not written yet.
  return at - 1 >= text.length ? { from, to: text.length } : undefined
}

/** Returns the place of an offset in the front matter; `undefined` outside of it, in comments and in texts. */
export function yamlCursorAt(text: string, offset: number): YamlCursor | undefined {
  const area = frontMatterOf(text)
  if (area === undefined || offset < area.from || offset > area.to) return undefined
  const outline = createOutline()
  const lines = text.slice(area.from, area.to).split('\n')
  let start = area.from
  let found: Omit<YamlCursor, 'siblings'> | undefined
  for (const line of lines) {
    const end = start + line.length
    if (offset >= start && offset <= end) {
      if (outline.isInText(line.slice(0, offset - start))) return undefined
      found = cursorIn(line.slice(0, offset - start), { start, outline: outline.copy() })
      // The word at the cursor is not a key yet.
      if (/^[ \t-]*[\w$.-]*$/u.test(line)) {
        start = end + 1
        continue
      }
    }
    outline.add(line)
    start = end + 1
  }
  if (found === undefined) return undefined
  const parent = JSON.stringify(found.path)
  return { ...found, siblings: outline.keysAt(parent) }
}

function cursorIn(
  head: string,
  { start, outline }: { readonly start: number; readonly outline: Outline },
): Omit<YamlCursor, 'siblings'> | undefined {
  const { rest, column, isEntry } = outline.enterEntries(head)
  if (isComment(rest)) return undefined
  const pair = /^(?:"([^"]*)"|'([^']*)'|([^\s:#"'[{][^:#]*?)):[ \t]+(.*)$/u.exec(rest)
  if (pair === null) {
    if (!/^["']?[\w$./@:*-]*$/u.test(rest)) return undefined
    const quote = /^["']/u.test(rest) ? 1 : 0
    const path = isEntry ? outline.path() : outline.pathAt(column)
    return { kind: isEntry ? 'entry' : 'key', path, from: start + column + quote }
  }
  const key = pair[1] ?? pair[2] ?? pair[3] ?? ''
  const value = pair[4] ?? ''
  const path = [...outline.pathAt(column), key]
  const list = /^\[(?:[^[\]{}]*,)?[ \t]*(["']?[^[\]{},]*)$/u.exec(value)
  if (list !== null) return valueCursor([...path, 0], list[1] ?? '', start + head.length)
  return /^[|>&*!{[]/u.test(value) ? undefined : valueCursor(path, value, start + head.length)
}

function valueCursor(path: YamlPath, typed: string, end: number): Omit<YamlCursor, 'siblings'> {
  const word = typed.replace(/^["']/u, '')
  return { kind: 'value', path, from: end - word.length }
}

function isComment(text: string): boolean {
  return /^#|\s#/u.test(text)
}

/** A key or a list entry that is open at the end of the lines read so far. */
interface Level {
  readonly indent: number
  readonly step: string | number
}

/** The mappings and lists that lines of YAML open, by their indentation. Tolerates lines that are not finished. */
interface Outline {
  add(line: string): void
  copy(): Outline
  /** Opens the list entries that a line begins with. */
  enterEntries(line: string): { readonly rest: string; readonly column: number; readonly isEntry: boolean }
  path(): YamlPath
  /** Returns the path of the mapping that a key at a column belongs to. */
  pathAt(column: number): YamlPath
  /** Returns true if a line belongs to a text block (`|` or `>`). */
  isInText(line: string): boolean
  keysAt(path: string): readonly string[]
}

function createOutline(
  levels: Level[] = [],
  keys: Map<string, string[]> = new Map(),
  textIndent?: number,
): Outline {
  let blockIndent = textIndent
  const indentOf = (line: string): number => /^ */u.exec(line)?.[0].length ?? 0
  const path = (): YamlPath => levels.map(({ step }) => step)
  const close = (isClosed: (level: Level) => boolean): Level | undefined => {
    let last: Level | undefined
    for (let top = levels.at(-1); top !== undefined && isClosed(top); top = levels.at(-1)) last = levels.pop()
    return last
  }
  const closeFrom = (column: number): void => void close(({ indent }) => indent >= column)
  const outline: Outline = {
    add(line) {
      if (/^\s*(?:#.*)?$/u.test(line)) return
      if (outline.isInText(line)) return
      blockIndent = undefined
      const { rest, column } = outline.enterEntries(line.replace(/\r$/u, ''))
      const key = /^(?:"([^"]*)"|'([^']*)'|([^\s:#"'[{][^:#]*?)):(?:[ \t]+(.*))?$/u.exec(rest)
      if (key === null) return
      closeFrom(column)
      const name = key[1] ?? key[2] ?? key[3] ?? ''
      const parent = JSON.stringify(path())
      keys.set(parent, [...(keys.get(parent) ?? []), name])
      levels.push({ indent: column, step: name })
      if (/^[|>]/u.test(key[4] ?? '')) blockIndent = column
    },
    copy: () => createOutline([...levels], keys, blockIndent),
    enterEntries(line) {
      let column = indentOf(line)
      let rest = line.slice(column)
      let isEntry = false
      for (let dash = /^-(?:[ \t]+|$)/u.exec(rest); dash !== null; dash = /^-(?:[ \t]+|$)/u.exec(rest)) {
        const at = column
        const before = close(({ indent, step }) => indent > at || (indent === at && typeof step === 'number'))
        const index = before?.indent === at && typeof before.step === 'number' ? before.step + 1 : 0
        levels.push({ indent: at, step: index })
        column += dash[0].length
        rest = rest.slice(dash[0].length)
        isEntry = true
      }
      return { rest, column, isEntry }
    },
    path,
    pathAt(column) {
      closeFrom(column)
      return path()
    },
    isInText: (line) => blockIndent !== undefined && (line.trim() === '' || indentOf(line) > blockIndent),
    keysAt: (parent) => keys.get(parent) ?? [],
  }
  return outline
}
