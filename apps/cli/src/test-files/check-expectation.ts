import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorMessage, getOwn, isJsonObject, troupeError, type Json, type JsonObject } from '@troupe/schema'
import type { ValidateArguments } from '@troupe/schema/ports'
import type { ArgumentPatterns, RunExpectation, TestedRun, TextPattern, ValuePattern } from '@troupe/testkit'
import { createLinearPatterns } from '@troupe/tools'
import type { Expectation, ToolCallsExpectation } from './expectation-schema.ts'

/** Dependencies of the checks of one test file. */
export interface ExpectationContext {
  /** Absolute path of the test file, against whose folder paths of schemas resolve. */
  readonly path: string
  readonly validate: ValidateArguments
}

/** Throws an `AssertionError` if the run does not meet the expectation. */
export function checkExpectation(
  expectation: Expectation,
  expected: RunExpectation,
  context: ExpectationContext,
): void {
  switch (expectation.type) {
    case 'contains':
      expected.toContain(expectation.value)
      break
    case 'not-contains':
      expected.notToContain(expectation.value)
      break
    case 'equals':
      expected.toAnswer(expectation.value)
      break
    case 'not-equals':
      expected.notToAnswer(expectation.value)
      break
    case 'regex':
      expected.toAnswer(toPattern(expectation.value))
      break
    case 'not-regex':
      expected.notToAnswer(toPattern(expectation.value))
      break
    case 'json-schema':
      expected.toSatisfy(schemaCheck(expectation.value, context))
      break
    case 'tool-calls':
      checkToolCalls(expectation, expected)
      break
    case 'not-tool-called':
      for (const tool of expectation.value) expected.notToHaveCalled(tool)
      break
    case 'agents':
      for (const agent of expectation.used) expected.toHaveUsedAgent(agent)
      break
    case 'turns':
      expected.toHaveAtMostTurns(expectation.max)
      break
    case 'no-problems':
      expected.toHaveNoProblems()
  }
}

function checkToolCalls(
  { value = [], order, args, count }: ToolCallsExpectation,
  expected: RunExpectation,
): void {
  if (order !== undefined) expected.toHaveCalledInOrder(order)
  const patterns = args === undefined ? undefined : toPatterns(args)
  for (const tool of value) {
    if (count === undefined) expected.toHaveCalled(tool, patterns)
    else expected.toHaveCalledTimes(tool, count, patterns)
  }
}

function toPatterns(args: JsonObject): ArgumentPatterns {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, toValuePattern(value)]))
}

/** Converts `{ regex: … }` to a pattern; anything else is compared as it is. */
function toValuePattern(value: Json): ValuePattern {
  if (Array.isArray(value)) return (value as readonly Json[]).map(toValuePattern)
  if (!isJsonObject(value)) return value
  const regex = getOwn(value, 'regex')
  if (typeof regex === 'string' && Object.keys(value).length === 1) return toPattern(regex)
  return toPatterns(value)
}

/** Compiles a pattern that runs in linear time. Throws `test_file_invalid`. */
function toPattern(source: string): TextPattern {
  const pattern = createLinearPatterns().get(source)
  if (pattern === undefined)
    throw troupeError('test_file_invalid', `/${source}/ cannot be used as a pattern.`, {
      fix: 'Use a shorter pattern without lookarounds and backreferences.',
    })
  return { test: (text) => pattern.test(text), toString: () => `/${source}/` }
}

/** Returns a check of the answer as JSON. Throws `test_file_invalid` if the schema cannot be read. */
function schemaCheck(
  schema: string | JsonObject,
  { path, validate }: ExpectationContext,
): (run: Pick<TestedRun, 'report'>) => string | undefined {
  const checked = typeof schema === 'string' ? readSchema(resolve(dirname(path), schema)) : schema
  return ({ report: { output } }) => {
    const value = output.value ?? parseJson(output.text ?? '')
    if (value === undefined) return 'The answer is not JSON.'
    const validation = validate(checked, value as JsonObject)
    return validation.ok
      ? undefined
      : `The answer does not match the schema: ${validation.problems.join('; ')}.`
  }
}

function readSchema(path: string): JsonObject {
  try {
    const schema = JSON.parse(readFileSync(path, 'utf8')) as Json
    if (isJsonObject(schema)) return schema
  } catch (error) {
    throw troupeError('test_file_invalid', `${path}: ${errorMessage(error)}`, { cause: error })
  }
  throw troupeError('test_file_invalid', `${path}: a JSON Schema is a JSON object.`)
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // The check reports that the answer is not JSON.
    return undefined
  }
}
