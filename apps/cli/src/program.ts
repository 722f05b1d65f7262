import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, CommanderError } from 'commander'
import type { CommandContext, CommonOptions, Launch } from './terminal/context.ts'
import { EXIT } from './terminal/exit-code.ts'
import { createStyle } from './terminal/terminal.ts'
import { configureHelp, readHelpLength } from './syntax/short-help.ts'
import { addAcp, addMcp, addServe, addSlack } from './syntax/serve-syntax.ts'
import { addChat, addRun } from './syntax/run-syntax.ts'
import { addDev } from './syntax/dev-syntax.ts'
import { addCheck, addDoctor } from './syntax/check-syntax.ts'
import { addCompletion } from './syntax/completion-syntax.ts'
import { addConvert, addScaffold } from './syntax/scaffold-syntax.ts'
import { addRuns, addStore } from './syntax/runs-syntax.ts'
import { addSchedules } from './syntax/schedules-syntax.ts'
import { addServers } from './syntax/servers-syntax.ts'
import { addEval } from './syntax/eval-syntax.ts'
import { addTest } from './syntax/test-syntax.ts'
import { addTools } from './syntax/tools-syntax.ts'
import { addTop, addWorker } from './syntax/worker-syntax.ts'

const EXAMPLES = `
\`troupe <card> …\` is short for \`troupe run <card> …\`.

Examples:
  troupe run time.md "What time is it in Paris?"
`

/** Runs one command line and resolves with its exit code. Never rejects: errors are printed on stderr. */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<number> {
  let code: number = EXIT.completed
  const launch: Launch = async (options, work) => {
    code = await guard(options, () => work(withColor(context, options)), context)
  }
  const commands = new Set(['help', ...COMMANDS.flatMap(([names]) => names)])
  const exists = (path: string): boolean => existsSync(resolve(context.cwd, path))
  const help = readHelpLength(args)
  const line = insertRun(help.args, { commands, exists })
  const program = createProgram(line[0], { isFull: help.isFull || line[0] === 'complete' }, context, launch)
  if (args.length === 0) {
    program.outputHelp({ error: true })
    return EXIT.usage
  }
  try {
    await program.parseAsync([...line], { from: 'user' })
    return code
  } catch (thrown) {
    if (thrown instanceof CommanderError) return isHelp(thrown) ? EXIT.completed : EXIT.usage
    return guard({}, () => Promise.reject(thrown), context)
  }
}

/** The commands in the order of the help: their names, and the function that adds them. */
const COMMANDS: readonly (readonly [readonly string[], (program: Command, launch: Launch) => void])[] = [
  [['run'], addRun],
  [['chat'], addChat],
  [['dev'], addDev],
  [['runs'], addRuns],
  [['store'], addStore],
  [['check'], addCheck],
  [['eval'], addEval],
  [['test'], addTest],
  [['tools'], addTools],
  [['mcp'], addMcp],
  [['serve'], addServe],
  [['worker'], addWorker],
  [['top'], addTop],
  [['acp'], addAcp],
  [['slack'], addSlack],
  [['schedules'], addSchedules],
  [['servers'], addServers],
  [['convert'], addConvert],
  [['doctor'], addDoctor],
  [['init', 'new', 'schema'], addScaffold],
  [['completion', 'complete'], addCompletion],
]

/**
 * Creates the program with one command, to save the time for the others. It has all commands if `command` is
 * not the name of one, for the help and for error messages, and for `complete`, which completes all of them.
 */
function createProgram(
  command: string | undefined,
  { isFull }: { readonly isFull: boolean },
  { terminal }: CommandContext,
  launch: Launch,
): Command {
  const { stdout, stderr } = terminal
  const program = new Command('troupe')
    .description('Run teams of LLM agents defined in plain files.')
    .usage('<command or card> [options]')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError(
      'See `troupe --help`, or add --help to a command. To run a card, pass its path: troupe ./card.md "message"',
    )
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', EXAMPLES)
  configureHelp(program, isFull)
  const own = COMMANDS.filter(([names]) => names.includes(command ?? ''))
  for (const [, add] of own.length === 0 || command === 'complete' ? COMMANDS : own) add(program, launch)
  return program
}

/**
 * Returns true if help was requested. Commander also prints help, with a non-zero exit code, if a subcommand
 * is missing.
 */
function isHelp({ code, exitCode }: CommanderError): boolean {
  if (exitCode !== 0) return false
  return code === 'commander.helpDisplayed' || code === 'commander.version' || code === 'commander.help'
}

function withColor(context: CommandContext, { color }: CommonOptions): CommandContext {
  if (color !== false) return context
  const plain = createStyle(false)
  return { ...context, terminal: { ...context.terminal, style: plain, outStyle: plain } }
}

/** Returns the exit code of the work. Prints what it throws. */
async function guard(
  options: CommonOptions,
  work: () => Promise<number>,
  context: CommandContext,
): Promise<number> {
  try {
    return await work()
  } catch (thrown) {
    const { printThrown } = await import('./reporter/end.ts')
    return printThrown(thrown, options, context)
  }
}

/**
 * Reads the version of the package. package.json is one folder above both the sources and the built files.
 */
function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}

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
