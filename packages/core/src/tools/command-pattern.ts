import type { CommandLine } from '@troupe/schema'
import { matchGlob, type MatchBudget } from './path-pattern.ts'

/** The result of comparing a call with a deny or ask rule. `why` completes a sentence. */
export type PossibleMatch =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no' }
  | { readonly kind: 'unknown'; readonly why: string }

const MAX_LENGTH = 8192
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
  const line = command.words.join(' ')
  if (line.length > MAX_LENGTH || command.words.length > MAX_WORDS)
    return { kind: 'unknown', why: 'the command is too long to be compared' }
  const wanted = looseCommandPattern(pattern)
  const words = normalise(line)
  // `rm *` also matches `rm`
  const text = wanted.endsWith('*') ? `${words} ` : words
  // a pattern that starts with `*` needs only one comparison
  for (const start of wanted.startsWith('*') ? [0] : startsOf(words)) {
    const found = matchGlob(wanted, text.slice(start), budget)
    if (found === true) return { kind: 'yes' }
    if (found === undefined) return { kind: 'unknown', why: 'comparing it with the rules takes too long' }
  }
  const why = whyUnknown(command)
  return why === undefined ? { kind: 'no' } : { kind: 'unknown', why }
}

/** Returns true only if the command certainly matches the pattern, word by word. */
export function isCommandMatch(pattern: string, command: CommandLine, budget: MatchBudget): boolean {
  const { words, hasInput } = command
  const [program = ''] = words
  const line = words.join(' ')
  if (hasInput || line.length > MAX_LENGTH || SHELL_SYNTAX.test(line)) return false
  if (program === '' || /\s/u.test(program)) return false
  const [first = ''] = pattern.trim().split(/\s/u, 1)
  if (/[*?]/u.test(first) && isOpaque(program)) return false
  // a space inside an argument must not match a space between arguments
  const exact = words.map((word) => (word === '' ? '\u0001' : word.replaceAll(/\s/gu, '\u0001'))).join(' ')
  return matchGlob(pattern.trim().replaceAll(/\s+/gu, ' '), exact, budget) === true
}

function whyUnknown({ words, hasInput }: CommandLine): string | undefined {
  const [program = ''] = words
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
