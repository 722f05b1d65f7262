import type { Command, Option } from 'commander'

/** A command line as far as it is typed. */
export interface CommandLine {
  /** The command that the words so far lead to; the program itself before one is named. */
  readonly command: Command
  /** The words behind the command that are neither options nor their values. */
  readonly operands: readonly string[]
  /** The options that were given, by attribute. */
  readonly used: ReadonlySet<string>
  /** The option whose value is being typed. */
  readonly option: Option | undefined
  /** What is being typed; of `--option=value` only the value. */
  readonly word: string
  /** What stands before it in the same word: `--option=` or nothing. */
  readonly optionPrefix: string
  /** True once an operand was given: no command can follow. */
  readonly isComplete: boolean
}

/** Follows the words the way the program itself reads them: a first word that is no command is the card of `run`. */
export function readWords(words: readonly string[], program: Command): CommandLine {
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

/** Remembers the option; answers it when its value is the next word. */
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
