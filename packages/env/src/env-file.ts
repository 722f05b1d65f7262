/** An invalid line of an env file. `message` omits its content, which may be a secret. */
export interface EnvFileProblem {
  /** 1-based line number. */
  readonly line: number
  readonly message: string
}

/** The parsed content of an env file. */
export interface EnvFile {
  readonly values: Readonly<Record<string, string>>
  readonly problems: readonly EnvFileProblem[]
}

/** Parsing stops after this many invalid lines: the file is probably not an env file. */
const MOST_PROBLEMS = 100
const ASSIGNMENT = /^(?:export[ \t]+)?(?<name>[A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(?<value>.*)$/u
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/**
 * Parses an env file such as `troupe.env`. Its lines are blank, `#` comments, or assignments with an optional
 * `export`: `KEY="VALUE"` with backslash escapes (newline, carriage return, tab, quote, backslash), a literal
 * `KEY='VALUE'`, or `KEY=VALUE`, which may end with a comment. Invalid lines are skipped and reported. If a
 * name is defined twice, the last value wins and a problem is reported.
 */
export function parseEnvFile(text: string, path: string): EnvFile {
  const values = new Map<string, { readonly value: string; readonly line: number }>()
  const problems: EnvFileProblem[] = []
  for (const [index, content] of text
    .replace(/^\uFEFF/u, '')
    .split(/\r?\n/u)
    .entries()) {
    const line = index + 1
    if (problems.length === MOST_PROBLEMS) {
      problems.push({
        line,
        message: `${path}:${line}: the rest of the file is not read, because the file has too many invalid lines`,
      })
      break
    }
    const read = readLine(content.trim())
    if (read === undefined) continue
    if (typeof read === 'string') {
      problems.push({ line, message: `${path}:${line}: ${read}` })
      continue
    }
    const earlier = values.get(read.name)
    if (earlier !== undefined)
      problems.push({ line, message: `${path}:${line}: ${read.name} is already set on line ${earlier.line}` })
    values.set(read.name, { value: read.value, line })
  }
  return {
    values: Object.fromEntries([...values].map(([name, { value }]) => [name, value])),
    problems,
  }
}

/** Parses one line: `undefined` if blank or a comment, a string with the reason if it is invalid. */
function readLine(line: string): undefined | string | { readonly name: string; readonly value: string } {
  if (line === '' || line.startsWith('#')) return undefined
  const groups = ASSIGNMENT.exec(line)?.groups
  const name = groups?.['name']
  if (name === undefined) return 'expected KEY=VALUE, with a key of letters, digits and _'
  const value = readValue(groups?.['value'] ?? '')
  return value === undefined
    ? `the value of ${name} has no closing quote, or is followed by other text`
    : { name, value }
}

function readValue(written: string): string | undefined {
  if (written.startsWith('"')) return readQuoted(written, '"')
  if (written.startsWith("'")) return readQuoted(written, "'")
  const comment = written.startsWith('#') ? 0 : written.search(/[ \t]#/u)
  return (comment === -1 ? written : written.slice(0, comment)).trimEnd()
}

function readQuoted(written: string, quote: '"' | "'"): string | undefined {
  let value = ''
  for (let at = 1; at < written.length; at += 1) {
    const character = written.charAt(at)
    if (character === quote) return isRest(written.slice(at + 1)) ? value : undefined
    const escaped = quote === '"' && character === '\\' ? written.charAt(at + 1) : ''
    value += escaped === '' ? character : unescape(escaped)
    if (escaped !== '') at += 1
  }
  return undefined
}

function unescape(escaped: string): string {
  if (escaped === '"' || escaped === '\\') return escaped
  return ESCAPES.get(escaped) ?? `\\${escaped}`
}

/** Returns true if nothing but whitespace or a comment follows a closing quote. */
function isRest(rest: string): boolean {
  return /^(?:\s*|\s+#.*)$/u.test(rest)
}
