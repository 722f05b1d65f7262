/** The simple commands of a shell command line. */
interface ShellLine {
  /** Words of each command, without quotes and redirections. */
  readonly commands: readonly (readonly string[])[]
  /** True if the shell runs one program with exactly these words. */
  readonly isPlain: boolean
}

/** Operators between commands. Longer ones come first. */
const SEPARATOR = /^(?:\|\||&&|\|&|;;&|;;|;&|[;&|()\n])/u
/** Redirections, of which the target is the next word. */
const REDIRECTION = /^\d*(?:<>|<<<|>>|>\||[<>]&|[<>])/u
/**
 * Syntax that computes words or commands, or reads further lines as text. bash and POSIX shells differ in `&>`.
 */
const COMPUTED = /^(?:[$`]|\d*[<>]\(|\d*<<(?!<)|&>)/u
const BLANK = /^(?:[ \t]|\\\n)+/u
const COMMENT = /^#[^\n]*/u
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[|\+?=)/u

/**
 * Splits a command line as bash does, at `;`, `&`, `|`, line breaks and parentheses. Returns `undefined` if
 * words are only known when it runs: `$`, `~`, backquotes, process substitution, here-documents, open quotes.
 */
export function parseShellLine(text: string): ShellLine | undefined {
  const commands: SimpleCommand[] = [{ words: [], targets: [] }]
  let isPlain = true
  let isTarget = false
  let rest = text
  while (rest !== '') {
    const skipped = BLANK.exec(rest) ?? COMMENT.exec(rest)
    if (COMPUTED.test(rest)) return undefined
    const redirection = REDIRECTION.exec(rest)
    const operator = redirection ?? SEPARATOR.exec(rest)
    const token = skipped ?? operator
    if (token === null) {
      const word = readWord(rest)
      if (word === undefined) return undefined
      const { words, targets } = commands.at(-1) ?? { words: [], targets: [] }
      if (isTarget) targets.push(word.text)
      else words.push(word.text)
      isTarget = false
      rest = rest.slice(word.length)
      continue
    }
    if (operator !== null) {
      isPlain &&= operator[0] === '\n'
      isTarget = redirection !== null
      if (redirection === null) commands.push({ words: [], targets: [] })
    }
    rest = rest.slice(token[0].length)
  }
  // The program is the first word, also in `>file program`.
  const found = commands
    .map(({ words, targets }) => [...words, ...targets])
    .filter((words) => words.length > 0)
  return { commands: found, isPlain: isPlain && found.length === 1 && !ASSIGNMENT.test(found[0]?.[0] ?? '') }
}

interface SimpleCommand {
  readonly words: string[]
  /** Targets of redirections. */
  readonly targets: string[]
}

/** Removes assignments such as `FOO=1` from the start of a command. */
export function withoutAssignments(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !ASSIGNMENT.test(word))
  return first === -1 ? [] : words.slice(first)
}

const END_OF_WORD = /[ \t\n;&|()<>]/u

/** Reads one word with its quotes removed. Returns `undefined` if it is computed or a quote stays open. */
function readWord(text: string): { readonly text: string; readonly length: number } | undefined {
  let word = ''
  let at = 0
  while (at < text.length) {
    const character = text[at] ?? ''
    if (END_OF_WORD.test(character)) break
    if (character === '$' || character === '`') return undefined
    // the shell replaces it by a home folder
    if (character === '~' && (at === 0 || /[=:]/u.test(text[at - 1] ?? ''))) return undefined
    if (character === "'") {
      const end = text.indexOf("'", at + 1)
      if (end === -1) return undefined
      word += text.slice(at + 1, end)
      at = end + 1
    } else if (character === '"') {
      const quoted = readDoubleQuoted(text, at + 1)
      if (quoted === undefined) return undefined
      word += quoted.text
      at = quoted.end
    } else if (character === '\\') {
      if (at + 1 === text.length) return undefined
      if (text[at + 1] !== '\n') word += text[at + 1] ?? ''
      at += 2
    } else {
      word += character
      at += 1
    }
  }
  return { text: word, length: at }
}

/** Reads up to the closing quote. `end` is the offset behind it. */
function readDoubleQuoted(
  text: string,
  start: number,
): { readonly text: string; readonly end: number } | undefined {
  let inside = ''
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '"') return { text: inside, end: at + 1 }
    if (character === '$' || character === '`') return undefined
    if (character !== '\\') {
      inside += character
      continue
    }
    at += 1
    const next = text[at] ?? ''
    if (next !== '\n') inside += '"\\$`'.includes(next) ? next : `\\${next}`
  }
  return undefined
}
