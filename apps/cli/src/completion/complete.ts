import { basename, resolve } from 'node:path'
import type { Command, Option } from 'commander'
import type { CommandContext } from '../terminal/context.ts'
import { agentCandidates, readCards } from './agent-candidates.ts'
import type { Candidate } from './candidate.ts'
import { pathCandidates } from './path-candidates.ts'
import { readWords, type TypedCommandLine } from './read-words.ts'

/** Program and environment of a completion. */
export interface CompletionContext {
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
  return visible.map((each) => ({ value: each.name(), description: each.description() }))
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
