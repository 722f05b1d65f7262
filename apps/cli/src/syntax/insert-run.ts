/** Options that may precede a command. */
const SWITCHES: ReadonlySet<string> = new Set([
  '--no-color',
  '--quiet',
  '-q',
  '--verbose',
  '-v',
  '--yes',
  '-y',
])
const GENERAL: ReadonlySet<string> = new Set(['--help', '-h', '--version', '-V'])

/**
 * Inserts `run` if the first word is not a command but looks like a card, or is an option of `run`. Moves
 * general options behind the command. A word that may be a mistyped command is left for the error message of
 * the program.
 */
export function insertRun(
  args: readonly string[],
  options: { readonly commands: ReadonlySet<string>; exists(path: string): boolean },
): readonly string[] {
  const at = args.findIndex((arg) => !SWITCHES.has(arg))
  const first = args[at]
  if (first === undefined || GENERAL.has(first)) return args
  if (options.commands.has(first)) return [first, ...args.slice(0, at), ...args.slice(at + 1)]
  const looksLikeCard = /[./\\~:]/u.test(first) || options.exists(first)
  return first.startsWith('-') || looksLikeCard ? ['run', ...args] : args
}
