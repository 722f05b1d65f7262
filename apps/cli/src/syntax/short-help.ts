import { Help, Option, type Command } from 'commander'

/** Options and texts of a command whose full help is long. */
interface LongHelp {
  /** Long names of the options that the short help shows. */
  readonly daily: readonly string[]
  /** Text below the options of the short help. */
  readonly examples: string
  /** Text below the options of the full help. */
  readonly allExamples: string
}

const LONG_HELP = new WeakMap<Command, LongHelp>()

/**
 * Configures the help of the program and its commands, before these are added. With `isFull`, commands of
 * {@link addLongHelp} list all options.
 */
export function configureHelp(program: Command, isFull: boolean): void {
  const help = new Help()
  program.configureHelp({
    visibleOptions(command): Option[] {
      const options = help.visibleOptions(command)
      const long = LONG_HELP.get(command)
      if (isFull || long === undefined) return options
      const daily = new Set([...long.daily, '--help'])
      return options.filter((option) => daily.has(option.long ?? ''))
    },
    groupItems(all, shown, groupOf) {
      // The short help has one list of options.
      const isGrouped = isFull || !shown.some((item) => item instanceof Option)
      return help.groupItems(all, shown, isGrouped ? groupOf : () => 'Options:')
    },
    formatHelp(command, helper) {
      const text = help.formatHelp.call(helper, command, helper)
      const long = LONG_HELP.get(command)
      if (long === undefined) return text
      if (isFull) return `${text}${long.allExamples}`
      const hint = `For all options, examples and exit codes: troupe ${command.name()} --help --all\n`
      return `${text}\n${hint}${long.examples}`
    },
  })
}

/** Adds a help of two lengths: `--help` shows the daily options, `--help --all` everything. */
export function addLongHelp(command: Command, help: LongHelp): Command {
  LONG_HELP.set(command, help)
  return command
}

/** Removes `--all` from a command line that asks for help. */
export function readHelpLength(args: readonly string[]): {
  readonly args: readonly string[]
  readonly isFull: boolean
} {
  const isHelp = args[0] === 'help' || args.includes('--help') || args.includes('-h')
  if (!isHelp || !args.includes('--all')) return { args, isFull: false }
  return { args: args.filter((arg) => arg !== '--all'), isFull: true }
}
