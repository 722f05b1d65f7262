import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { isPlainObject } from './answer-form.ts'

/** The tool whose arguments are the answer. */
export interface FinalTool {
  readonly tool: LanguageModelV4FunctionTool
  /** Returns the answer from the JSON text of the arguments. */
  answerIn(input: string): string
}

const NAME = 'final_answer'

/**
 * Creates the final tool for a schema. Wraps schemas that are not objects, because tool arguments must be
 * objects.
 */
export function finalTool(schema: JsonObject, tools: LanguageModelV4CallOptions['tools'] = []): FinalTool {
  const isWrapped = !isPlainObject(schema)
  return {
    tool: {
      type: 'function',
      name: freeName(new Set(tools.map(({ name }) => name))),
      description:
        'Gives the final answer and ends the work. Call it once, alone, when everything else is done.',
      inputSchema: (isWrapped ? wrapSchema(schema) : schema) as LanguageModelV4FunctionTool['inputSchema'],
    },
    answerIn: (input) => (isWrapped ? unwrapAnswer(input) : input),
  }
}

function freeName(taken: ReadonlySet<string>): string {
  if (!taken.has(NAME)) return NAME
  let number = 2
  while (taken.has(`${NAME}_${number}`)) number += 1
  return `${NAME}_${number}`
}

/** Wraps a schema in an object. Definitions stay at the root, where references point to. */
function wrapSchema(schema: JsonObject): JsonObject {
  const { $schema: _, $defs, definitions, ...value } = schema
  return {
    type: 'object',
    properties: { value },
    required: ['value'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  }
}

function unwrapAnswer(input: string): string {
  try {
    const args = JSON.parse(input) as Json
    return isJsonObject(args) && 'value' in args ? JSON.stringify(args['value']) : input
  } catch {
    // truncated arguments: the answer is invalid too and is requested again
    return input
  }
}
