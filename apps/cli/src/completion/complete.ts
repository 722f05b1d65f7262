import { basename, resolve, join } from 'node:path'
import { statSync, readdirSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { CARD_FORMATS } from '@troupe/card-formats'
import { readCard, readCardFolder, type ParsedCard } from '@troupe/cards'
import type { CommandContext } from '../terminal/context.ts'

/** Completion of the current word. */
interface Candidate {
  /** The whole word. A value that ends with `/` is a folder, which can be completed further. */
  readonly value: string
  readonly description?: string
}

/** Program and environment of a completion. */
interface CompletionContext {
  readonly program: Command
  readonly context: Pick<CommandContext, 'cwd' | 'home'>
}

/**
 * Returns the completions of the last word, best first. `words` are the arguments of the program; the last
 * one may be empty.
 */
export function complete(
  words: readonly string[],
  { program, context }: CompletionContext,
): readonly Candidate[] {
  const line = readWords(words, program)
  const candidates = findCandidates(line, { program, context })
  const prefix = line.optionPrefix
  return candidates
    .filter(({ value }) => value.startsWith(line.word))
    .map((candidate) => ({ ...candidate, value: `${prefix}${candidate.value}` }))
}

function findCandidates(line: TypedCommandLine, completion: CompletionContext): readonly Candidate[] {
  if (line.option !== undefined) return optionValues(line.option, line, completion)
  if (line.word.startsWith('-')) return flags(line)
  const commands = line.isComplete ? [] : subcommands(line.command)
  return [...commands, ...argumentValues(line, completion)]
}

function subcommands(command: Command): readonly Candidate[] {
  const visible = command.createHelp().visibleCommands(command)
  return visible.map((subcommand) => ({ value: subcommand.name(), description: subcommand.description() }))
}

function flags({ command, used }: TypedCommandLine): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => isRepeatable(option) || !used.has(option.attributeName()))
    .flatMap(({ long, short, description }) => {
      const value = long ?? short
      return value === undefined ? [] : [{ value, description }]
    })
}

function isRepeatable({ description }: Option): boolean {
  return description.includes('(repeatable)')
}

/** Returns the completions of an option value, by the name of the option. */
function optionValues(
  option: Option,
  line: TypedCommandLine,
  completion: CompletionContext,
): readonly Candidate[] {
  const { cwd } = completion.context
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value }))
  const name = option.attributeName()
  if (name === 'agent' || name === 'agents') return agentCandidates(line.operands.slice(0, 1), cwd)
  if (name === 'card') return cards(line.word, completion)
  const isPath = /<(?:file|folder|path)>/u.test(option.flags)
  return isPath ? paths(line.word, completion, () => !option.flags.includes('<folder>')) : []
}

/** Returns the completions of a positional argument, by its name. */
function argumentValues(line: TypedCommandLine, completion: CompletionContext): readonly Candidate[] {
  const declared = line.command.registeredArguments
  const last = declared.at(-1)
  const argument = declared[line.operands.length] ?? (last?.variadic === true ? last : undefined)
  if (argument === undefined) return line.command === completion.program ? cards(line.word, completion) : []
  if (argument.argChoices !== undefined) return argument.argChoices.map((value) => ({ value }))
  const name = argument.name()
  if (name === 'card' || name === 'paths') return cards(line.word, completion)
  return name === 'folder' || name === 'file' ? paths(line.word, completion, () => name === 'file') : []
}

function cards(word: string, completion: CompletionContext): readonly Candidate[] {
  const { cwd } = completion.context
  const folder = word.slice(0, word.lastIndexOf('/') + 1)
  const names = new Set(readCards(resolve(cwd, folder)).map(({ path }) => basename(path)))
  return paths(word, completion, (name) => names.has(name))
}

function paths(
  word: string,
  { context }: CompletionContext,
  accepts: (name: string) => boolean,
): readonly Candidate[] {
  return pathCandidates(word, { cwd: context.cwd, home: context.home, accepts })
}

/** Returns the agents of cards and folders by name. Cards are parsed, but no code of them is run. */
function agentCandidates(paths: readonly string[], cwd: string): readonly Candidate[] {
  const cards = (paths.length === 0 ? ['.'] : paths).flatMap((path) => readCards(resolve(cwd, path)))
  const agents = cards.flatMap(({ definition }) => definition ?? [])
  return agents.map(({ name, description }) => ({
    value: name,
    ...(description === undefined ? {} : { description }),
  }))
}

/** Reads the card of a file, or the cards of a folder. Returns none if the path does not exist. */
function readCards(path: string): readonly ParsedCard[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  const options = { formats: CARD_FORMATS }
  return stats.isDirectory() ? readCardFolder(path, options) : [readCard(path, options)]
}

/**
 * Returns folders, and files that `accepts` allows, that start with the word. Hidden ones are included only
 * if the word starts with a dot.
 */
function pathCandidates(
  word: string,
  options: { readonly cwd: string; readonly home?: string | undefined; accepts(name: string): boolean },
): readonly Candidate[] {
  const at = word.lastIndexOf('/') + 1
  const [folder, start] = [word.slice(0, at), word.slice(at)]
  return namesIn(resolve(options.cwd, fromHome(folder, options.home)))
    .filter((entry) => entry.name.startsWith(start) && (start.startsWith('.') || !entry.name.startsWith('.')))
    .filter((entry) => entry.isFolder || options.accepts(entry.name))
    .map(({ name, isFolder }) => ({ value: `${folder}${name}${isFolder ? '/' : ''}` }))
}

/** Expands `~`, which the shell has not done yet while the word is being typed. */
function fromHome(folder: string, home: string | undefined): string {
  return home !== undefined && folder.startsWith('~/') ? join(home, folder.slice(2)) : folder
}

interface FolderEntry {
  readonly name: string
  readonly isFolder: boolean
}

function namesIn(folder: string): readonly FolderEntry[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({
        name: entry.name,
        isFolder: entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(folder, entry.name))),
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    // A missing or unreadable folder has no completions.
    return []
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Partially typed command line. */
interface TypedCommandLine {
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
function readWords(words: readonly string[], program: Command): TypedCommandLine {
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
      const subcommand = operands.length === 0 ? childOf(command, word) : undefined
      if (subcommand !== undefined) command = subcommand
      else {
        if (command === program) command = childOf(program, 'run') ?? program
        operands.push(word)
      }
    }
  }
  const mark = option === undefined && last.startsWith('--') ? last.indexOf('=') : -1
  const currentOption = mark === -1 ? option : optionOf(last.slice(0, mark), command)
  return {
    command,
    operands,
    used,
    option: currentOption,
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
  return command.commands.find((child) => child.name() === name || child.aliases().includes(name))
}
