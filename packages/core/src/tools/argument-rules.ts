import {
  getOwn,
  isJsonObject,
  type ArgumentRule,
  type CommandLine,
  type Json,
  type JsonObject,
  type MaybePromise,
  type ReachedPaths,
  type ToolDefinition,
} from '@troupe/schema'
import { isCommandMatch, possibleCommandMatch, type PossibleMatch } from './command-pattern.ts'
import { matchGlob, isPathMatch, possiblePathMatch, type MatchBudget } from './path-pattern.ts'

/** The value of an argument in the form that rules compare. */
type ArgumentValue =
  | { readonly kind: 'command'; readonly command: CommandLine }
  | { readonly kind: 'path'; readonly reached: ReachedPaths }
  | { readonly kind: 'text'; readonly text: Json | undefined }

/** Argument values that the rules for a tool compare, by argument name. */
export type ArgumentValues = ReadonlyMap<string, ArgumentValue>

const MAX_TEXT = 100_000

/** Returns false if the tool lacks the argument that the rule names, so that calls cannot be checked. */
export function hasArgument(tool: ToolDefinition, { argument }: ArgumentRule): boolean {
  if (getOwn(tool.ruleArguments ?? {}, argument) !== undefined) return true
  const properties = tool.inputSchema['properties']
  return isJsonObject(properties) && Object.hasOwn(properties, argument)
}

/** Reads the arguments that rules name. Throws or rejects if the tool cannot tell what a call would do. */
export function readArguments(
  tool: ToolDefinition,
  args: JsonObject,
  names: readonly string[],
): MaybePromise<ArgumentValues> {
  const read = names.map((name) => readArgument(tool, args, name))
  const toMap = (values: readonly ArgumentValue[]): ArgumentValues =>
    new Map(names.map((name, index) => [name, values[index] ?? NO_VALUE]))
  return read.every((value) => !(value instanceof Promise))
    ? toMap(read as readonly ArgumentValue[])
    : Promise.all(read.map((value) => Promise.resolve(value))).then(toMap)
}

const NO_VALUE: ArgumentValue = { kind: 'text', text: undefined }

function readArgument(tool: ToolDefinition, args: JsonObject, name: string): MaybePromise<ArgumentValue> {
  const reader = getOwn(tool.ruleArguments ?? {}, name)
  if (reader === undefined) return { kind: 'text', text: getOwn(args, name) }
  if (reader.kind === 'command') {
    const command = reader.read(args)
    return command instanceof Promise ? command.then(toCommandValue) : toCommandValue(command)
  }
  const reached = reader.read(args)
  return reached instanceof Promise ? reached.then(toPathValue) : toPathValue(reached)
}

function toCommandValue(command: CommandLine): ArgumentValue {
  return { kind: 'command', command }
}

function toPathValue(reached: ReachedPaths): ArgumentValue {
  return { kind: 'path', reached }
}

/** Checks if a deny or ask rule may apply to a call. */
export function mayApply(rule: ArgumentRule, values: ArgumentValues, budget: MatchBudget): PossibleMatch {
  const value = values.get(rule.argument) ?? NO_VALUE
  const match = possibleMatch(rule.pattern, value, budget)
  if (match.kind === 'no' || !isExcepted(rule, value, budget)) return match
  return { kind: 'no' }
}

/** Returns true only if an allow rule certainly applies to a call. */
export function certainlyApplies(rule: ArgumentRule, values: ArgumentValues, budget: MatchBudget): boolean {
  const value = values.get(rule.argument) ?? NO_VALUE
  if (!isMatch(rule.pattern, value, budget)) return false
  return (rule.except ?? []).every((pattern) => possibleMatch(pattern, value, budget).kind === 'no')
}

function isExcepted({ except = [] }: ArgumentRule, value: ArgumentValue, budget: MatchBudget): boolean {
  return except.some((pattern) => isMatch(pattern, value, budget))
}

function possibleMatch(pattern: string, value: ArgumentValue, budget: MatchBudget): PossibleMatch {
  if (value.kind === 'command') return possibleCommandMatch(pattern, value.command, budget)
  if (value.kind === 'path') return possiblePathMatch(pattern, value.reached, budget)
  if (value.text === undefined) return { kind: 'no' }
  const text = plainText(value.text)
  if (text === undefined) return { kind: 'unknown', why: 'its value is not a short string' }
  const found = matchGlob(normalizeText(pattern), normalizeText(text), budget)
  if (found === undefined) return { kind: 'unknown', why: 'comparing it with the rules takes too long' }
  return { kind: found ? 'yes' : 'no' }
}

function isMatch(pattern: string, value: ArgumentValue, budget: MatchBudget): boolean {
  if (value.kind === 'command') return isCommandMatch(pattern, value.command, budget)
  if (value.kind === 'path') return isPathMatch(pattern, value.reached, budget)
  const text = value.text === undefined ? undefined : plainText(value.text)
  return text !== undefined && matchGlob(pattern, text, budget) === true
}

function plainText(value: Json): string | undefined {
  if (value === null || typeof value === 'object') return undefined
  const text = String(value)
  return text.length > MAX_TEXT ? undefined : text
}

function normalizeText(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/gu, ' ').trim()
}
