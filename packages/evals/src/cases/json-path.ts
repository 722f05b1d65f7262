import { errorMessage, type Json } from '@troupe/schema'
import { FunctionExpressionType, JSONPathEnvironment, type FilterFunction } from 'json-p3'
import { findPattern } from './value-matcher.ts'

const LONGEST_PATH = 1000
/** Most collections that `..` visits. */
const MOST_VISITED = 10_000

/** Returns why a JSONPath cannot be used; `undefined` if it can. */
export function jsonPathProblem(path: string): string | undefined {
  if (path.length > LONGEST_PATH) return 'the path is too long'
  try {
    environment.compile(path)
    return undefined
  } catch (thrown) {
    return errorMessage(thrown)
  }
}

/** Returns the values that a JSONPath (RFC 9535) selects. Throws for a value that is nested too deeply. */
export function selectValues(path: string, value: Json): readonly Json[] {
  return environment.query(path, value as Parameters<JSONPathEnvironment['query']>[1]).values() as Json[]
}

/** Creates `match` or `search` with regular expressions that run in linear time, which those of the library may not. */
function linearFilter(wrap: (pattern: string) => string): FilterFunction {
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call: (text: unknown, pattern: unknown) =>
      typeof text === 'string' &&
      typeof pattern === 'string' &&
      findPattern(wrap(pattern))?.test(text) === true,
  }
}

const environment = new JSONPathEnvironment({ maxRecursionDepth: MOST_VISITED })
environment.functionRegister.set(
  'match',
  linearFilter((pattern) => `^(?:${pattern})$`),
)
environment.functionRegister.set(
  'search',
  linearFilter((pattern) => pattern),
)

/** Returns the JSON value of an answer: its parsed value, or its text if that is JSON. */
export function answerValue(output: { readonly text?: string; readonly value?: Json }): Json | undefined {
  if (output.value !== undefined) return output.value
  try {
    return JSON.parse(output.text ?? '') as Json
  } catch {
    // plain text has no value
    return undefined
  }
}
