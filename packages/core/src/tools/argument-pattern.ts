import type { CommandLine, ReachedPaths } from '@troupe/schema/ports'
import { parseShellLine, withoutAssignments } from './shell-line.ts'

/** The result of comparing a call with a deny or ask rule. `why` completes a sentence. */
export type PossibleMatch =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no' }
  | { readonly kind: 'unknown'; readonly why: string }

const MAX_COMMAND_LENGTH = 8192
const MAX_WORDS = 1000
/** Characters that a shell, or a program that starts one, may interpret. */
const SHELL_SYNTAX = /[|&;<>()$`\\"'*?[\]{}\p{Cc}]/u
/** Characters that may separate the words of a command, also inside one argument: `--exec=rm`, `FOO=1`, `a;b`. */
const SEPARATORS = /[\s\p{Cc}|&;<>()$`"'[\]{}=,:!@]+/gu
const ENDING = /\.(?:exe|cmd|bat|com)(?= |$)/gu
/** Folder of the program at the start of a pattern. */
const FOLDER = /^(?:\.[/\\])?(?:[^ ]*[/\\](?=[^ /\\*?]+(?: |$)))?/u
const VERSION = /[\d.]+$/u

/** Programs that run a command or code from their arguments. */
const OPAQUE_PROGRAMS: ReadonlySet<string> = new Set(
  [
    'sh bash zsh dash ash ksh mksh csh tcsh fish nu elvish xonsh busybox toybox cmd pwsh powershell',
    'env sudo doas su runuser pkexec nohup nice ionice chrt taskset timeout time watch xargs parallel find fd',
    'command exec eval builtin source setsid stdbuf script expect unbuffer strace ltrace gdb lldb start-stop-daemon',
    'flock at batch crontab chroot unshare nsenter bwrap firejail systemd-run entr ssh docker podman kubectl',
    'python pypy node nodejs bun deno tsx perl ruby php lua luajit tclsh wish osascript rscript',
    'awk gawk mawk nawk sed ed ex vi vim nvim emacs',
    // keywords and builtins of shells, and programs that read commands from their input
    '! if then else elif fi for while until do done case esac select function coproc',
    '. alias trap enable mapfile readarray bind fc git-shell rbash rksh',
  ].flatMap((line) => line.split(' ')),
)

/**
 * Compares a command with the pattern of a deny or ask rule. Ignores case, spaces, the folder of the program
 * and options between words. The pattern may match from any word, so that `rm *` matches `env rm x`. Anything
 * beyond a plain command is unknown.
 */
export function possibleCommandMatch(
  pattern: string,
  command: CommandLine,
  budget: MatchBudget,
): PossibleMatch {
  const { shellText, hasInput } = command
  return shellText === undefined
    ? possibleProgramMatch(pattern, command, budget)
    : possibleShellMatch(pattern, { shellText, hasInput }, budget)
}

/** Operators of shells in a pattern, which may match across the commands of a line. */
const OPERATORS = /[|&;<>()\n]/u

/** Compares each command of a command line. A line whose commands are not known before it runs is unknown. */
function possibleShellMatch(
  pattern: string,
  { shellText, hasInput }: { readonly shellText: string; readonly hasInput: boolean },
  budget: MatchBudget,
): PossibleMatch {
  if (shellText.length > MAX_COMMAND_LENGTH)
    return { kind: 'unknown', why: 'the command is too long to be compared' }
  const line = parseShellLine(shellText)
  const isComputed = line === undefined
  if (isComputed || OPERATORS.test(pattern)) {
    const whole = possibleProgramMatch(pattern, { words: [shellText], hasInput }, budget)
    if (whole.kind === 'yes') return whole
    if (isComputed) return { kind: 'unknown', why: COMPUTED_COMMAND }
  }
  const matches = line.commands.map((words) => possibleProgramMatch(pattern, { words, hasInput }, budget))
  return (
    matches.find(({ kind }) => kind === 'yes') ??
    matches.find(({ kind }) => kind === 'unknown') ?? { kind: 'no' }
  )
}

const COMPUTED_COMMAND = 'it contains variables, substitutions or open quotes, so its commands are not known'

function possibleProgramMatch(pattern: string, command: CommandLine, budget: MatchBudget): PossibleMatch {
  const line = command.words.join(' ')
  if (line.length > MAX_COMMAND_LENGTH || command.words.length > MAX_WORDS)
    return { kind: 'unknown', why: 'the command is too long to be compared' }
  const loosePattern = looseCommandPattern(pattern)
  const words = normalise(line)
  // `rm *` also matches `rm`
  const text = loosePattern.endsWith('*') ? `${words} ` : words
  // a pattern that starts with `*` needs only one comparison
  for (const start of loosePattern.startsWith('*') ? [0] : startsOf(words)) {
    const found = matchGlob(loosePattern, text.slice(start), budget)
    if (found === true) return { kind: 'yes' }
    if (found === undefined) return { kind: 'unknown', why: 'comparing it with the rules takes too long' }
  }
  const why = whyUnknown(command)
  return why === undefined ? { kind: 'no' } : { kind: 'unknown', why }
}

/** Returns true only if the command certainly matches the pattern, word by word. */
export function isCommandMatch(pattern: string, command: CommandLine, budget: MatchBudget): boolean {
  const { hasInput } = command
  const words = plainWords(command)
  if (words === undefined) return false
  const [program = ''] = words
  const line = words.join(' ')
  if (hasInput || line.length > MAX_COMMAND_LENGTH || SHELL_SYNTAX.test(line)) return false
  if (program === '' || /\s/u.test(program)) return false
  const [first = ''] = pattern.trim().split(/\s/u, 1)
  if (/[*?]/u.test(first) && isOpaque(program)) return false
  // a space inside an argument must not match a space between arguments
  const exact = words.map((word) => (word === '' ? '\u0001' : word.replaceAll(/\s/gu, '\u0001'))).join(' ')
  return matchGlob(pattern.trim().replaceAll(/\s+/gu, ' '), exact, budget) === true
}

/** Returns the words of a single program, or `undefined` if the call does more than run it. */
function plainWords({ words, shellText }: CommandLine): readonly string[] | undefined {
  if (shellText === undefined) return words
  if (shellText.length > MAX_COMMAND_LENGTH) return undefined
  const line = parseShellLine(shellText)
  return line?.isPlain === true ? line.commands[0] : undefined
}

function whyUnknown({ words, hasInput }: CommandLine): string | undefined {
  const [program = ''] = withoutAssignments(words)
  if (isOpaque(program)) return `${JSON.stringify(baseOf(program))} can run other commands`
  if (words.some((word) => SHELL_SYNTAX.test(word)))
    return 'it contains characters that a shell would interpret'
  return hasInput ? 'its input may contain commands' : undefined
}

function isOpaque(program: string): boolean {
  const name = baseOf(program)
  return OPAQUE_PROGRAMS.has(name) || OPAQUE_PROGRAMS.has(name.replace(VERSION, ''))
}

function baseOf(program: string): string {
  const parts = program.trim().toLowerCase().replaceAll(ENDING, '').split(/[/\\]/u)
  return parts.findLast((part) => part !== '') ?? ''
}

function normalise(line: string): string {
  return line.toLowerCase().replaceAll(SEPARATORS, ' ').trim().replaceAll(ENDING, '')
}

/** Normalizes a pattern and allows for words between its own. */
function looseCommandPattern(pattern: string): string {
  return normalise(pattern).replace(FOLDER, '').replaceAll(' ', ' *')
}

/** Returns the offsets at which a word or a path segment starts. */
function startsOf(words: string): ReadonlySet<number> {
  const starts = new Set<number>([0])
  for (let at = 0; at < words.length; at += 1) {
    const character = words[at]
    if (character === ' ' || character === '/' || character === '\\') starts.add(at + 1)
  }
  return starts
}

const MAX_PATH_LENGTH = 8192

/**
 * Compares paths with the pattern of a deny or ask rule. Ignores case, `*` matches any text, and a folder
 * includes its content. A relative pattern may match from any folder below the tool's root, or above it if it
 * leads into it.
 */
export function possiblePathMatch(
  pattern: string,
  reached: ReachedPaths,
  budget: MatchBudget,
): PossibleMatch {
  if (reached.isTree) return { kind: 'unknown', why: 'it reads all files of a folder; name one file' }
  if (reached.paths.some((path) => path.length > MAX_PATH_LENGTH))
    return { kind: 'unknown', why: 'the path is too long to be compared' }
  const pathPattern = readPattern(pattern)
  if (pathPattern === undefined)
    return { kind: 'unknown', why: 'the pattern of the rule points outside its folder' }
  const root = reached.root.toLowerCase()
  for (const path of reached.paths) {
    const found = isPossible(pathPattern, { path: path.toLowerCase(), root }, budget)
    if (found === true) return { kind: 'yes' }
    if (found === undefined) return { kind: 'unknown', why: 'comparing it with the rules takes too long' }
  }
  return { kind: 'no' }
}

/**
 * Returns true only if every path certainly matches the pattern. A pattern without `/` matches file names in
 * any folder.
 */
export function isPathMatch(
  pattern: string,
  { root, paths, isTree }: ReachedPaths,
  budget: MatchBudget,
): boolean {
  const plain = pattern.trim().replace(/^(?:\.\/)+/u, '')
  if (isTree || paths.length === 0 || /^[/~]|\.\.|\\/u.test(plain)) return false
  return paths.every((path) => {
    const below = relativeTo(root, path)
    if (below === undefined || below.length > MAX_PATH_LENGTH) return false
    return plain.includes('/')
      ? matchPathGlob(plain, below, budget) === true
      : matchGlob(plain, below.slice(below.lastIndexOf('/') + 1), budget) === true
  })
}

interface PathPattern {
  readonly glob: string
  /** True if the pattern starts at the root of the file system or of the tool. */
  readonly isAbsolute: boolean
}

function readPattern(pattern: string): PathPattern | undefined {
  const text = pattern.trim().toLowerCase().replaceAll('\\', '/')
  if (text.split('/').includes('..')) return undefined
  // the home folder is unknown here, so a pattern below it may match anywhere
  const plain = text.replace(/^(?:[~.]?\/)+/u, '').replace(/\/+$/u, '/*')
  const glob = plain.replace(/^(?:\*\*\/)+/u, '').replaceAll('/**/', '/*')
  return { glob: glob === '.' ? '*' : glob, isAbsolute: text.startsWith('/') && glob === plain }
}

function isPossible(
  { glob, isAbsolute }: PathPattern,
  { path, root }: { readonly path: string; readonly root: string },
  budget: MatchBudget,
): boolean | undefined {
  const below = startBelow(root, path)
  const literal = /[*?]/u.exec(glob)?.index ?? glob.length
  // above the root, only a pattern that leads into the root matches files in it
  const starts = isAbsolute
    ? [1, below]
    : [below, ...segmentStarts(path).filter((start) => start > below || start + literal > below)]
  for (const start of new Set(starts)) {
    const rest = path.slice(start)
    const found = matchGlob(glob, rest, budget) === true || matchGlob(`${glob}/*`, rest, budget) === true
    if (budget.left < 0) return undefined
    if (found) return true
  }
  return false
}

function segmentStarts(path: string): readonly number[] {
  return [...path.matchAll(/\//gu)].map(({ index }) => index + 1)
}

/**
 * Returns the offset of the path below the root, or of the first segment if the path is outside of the root.
 */
function startBelow(root: string, path: string): number {
  const folder = root.endsWith('/') ? root : `${root}/`
  return path === root || path.startsWith(folder) ? folder.length : 1
}

function relativeTo(root: string, path: string): string | undefined {
  if (path === root) return '.'
  const folder = root.endsWith('/') ? root : `${root}/`
  return path.startsWith(folder) ? path.slice(folder.length) : undefined
}

/** Number of comparisons that a decision may still make. */
export interface MatchBudget {
  left: number
}

/** Creates a budget that is enough for hundreds of ordinary rules and takes about 20 ms at most. */
export function createMatchBudget(): MatchBudget {
  return { left: 2_000_000 }
}

/** Returns true if `text` matches `pattern` as a whole: `*` is any text, `?` is one character. `undefined` if the budget ran out. */
export function matchGlob(pattern: string, text: string, budget: MatchBudget): boolean | undefined {
  return matchItems(pattern, text, { isStar: isStarCharacter, matches: matchesCharacter, budget })
}

/**
 * Matches a path pattern: `*` and `?` stay within a segment, `**` is any number of segments. `undefined` if
 * the budget ran out.
 */
function matchPathGlob(pattern: string, path: string, budget: MatchBudget): boolean | undefined {
  return matchItems(pattern.split('/'), path.split('/'), {
    isStar: (segment) => segment === '**',
    matches: (segment, text) => matchGlob(segment, text, budget) === true,
    budget,
  })
}

function isStarCharacter(character: string): boolean {
  return character === '*'
}

function matchesCharacter(pattern: string, character: string): boolean {
  return pattern === '?' || pattern === character
}

/** Matches two sequences. Only the last star is extended, so the work is at most the product of lengths. */
function matchItems(
  pattern: ArrayLike<string>,
  text: ArrayLike<string>,
  options: {
    isStar(item: string): boolean
    matches(pattern: string, item: string): boolean
    readonly budget: MatchBudget
  },
): boolean | undefined {
  const { isStar, matches, budget } = options
  let at = 0
  let inText = 0
  let afterStar = -1
  let starTakesUntil = 0
  while (inText < text.length) {
    budget.left -= 1
    if (budget.left < 0) return undefined
    const item = pattern[at]
    if (item !== undefined && isStar(item)) {
      at += 1
      afterStar = at
      starTakesUntil = inText
    } else if (item !== undefined && matches(item, text[inText] ?? '')) {
      at += 1
      inText += 1
    } else if (afterStar === -1) {
      return false
    } else {
      at = afterStar
      starTakesUntil += 1
      inText = starTakesUntil
    }
  }
  while (at < pattern.length && isStar(pattern[at] ?? '')) at += 1
  return at === pattern.length
}
