import type { Command, Option } from 'commander'

/** Partially typed command line. */
export interface TypedCommandLine {
  /** Command selected by the words so far; the program itself before one is named. */
  readonly command: Command
  /** Words after the command that are neither options nor their values. */
  readonly operands: readonly string[]
  /** Attribute names of the given options. */
  readonly used: ReadonlySet<string>
  /** Option whose value is being typed. */
  readonly option: Option | undefined
  /** Word being typed; for `--option=value` only the value. */
  readonly word: string
  /** Text before `word` in the same argument: `--option=` or nothing. */
  readonly optionPrefix: string
  /** True if an operand was given, so that no subcommand can follow. */
  readonly isComplete: boolean
}

/** Parses the words like the program does: if the first word is not a command, it is the card of `run`. */
export function readWords(words: readonly string[], program: Command): TypedCommandLine {
  const before = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  let command = program
  let option: Option | undefined
  const operands: string[] = []
  const used = new Set<string>()
  for (const word of before) {
    if (option !== undefined) option = undefined
    else if (word.startsWith('-') && word !== '-') option = takeOption(word, command, used)
    else {
      const named = operands.length === 0 ? childOf(command, word) : undefined
      if (named !== undefined) command = named
      else {
        if (command === program) command = childOf(program, 'run') ?? program
        operands.push(word)
      }
    }
  }
  const mark = option === undefined && last.startsWith('--') ? last.indexOf('=') : -1
  const own = mark === -1 ? option : optionOf(last.slice(0, mark), command)
  return {
    command,
    operands,
    used,
    option: own,
    word: mark === -1 ? last : last.slice(mark + 1),
    optionPrefix: mark === -1 ? '' : last.slice(0, mark + 1),
    isComplete: operands.length > 0,
  }
}

/** Adds the option to `used`. Returns it if its value is the next word. */
function takeOption(word: string, command: Command, used: Set<string>): Option | undefined {
  const mark = word.indexOf('=')
  const option = optionOf(mark === -1 ? word : word.slice(0, mark), command)
  if (option === undefined) return undefined
  used.add(option.attributeName())
  return option.required && mark === -1 ? option : undefined
}

function optionOf(flag: string, command: Command): Option | undefined {
  return command.options.find((option) => option.long === flag || option.short === flag)
}

function childOf(command: Command, name: string): Command | undefined {
  return command.commands.find((each) => each.name() === name || each.aliases().includes(name))
}
