import { failure, type Failure, type JsonObject, isJsonObject } from '@troupe/schema'
import { isJsonTextTooDeep } from '@troupe/schema/json'
import type { ComposeContext } from '@troupe/schema/ports'

/** Maximum number of model calls to get an answer that can be parsed. */
const ATTEMPTS = 2

/**
 * Asks the model for JSON that `read` accepts. After a rejected answer, the problem is sent to the model for
 * one more try.
 */
export async function askJson<T>(
  { ask, definition }: ComposeContext,
  question: {
    readonly prompt: string
    readonly schema: JsonObject
    /** Returns the parsed value, or the problem with the answer. */
    read(value: JsonObject | undefined, text: string): T | { readonly problem: string }
  },
): Promise<{ readonly value: T } | { readonly failure: Failure }> {
  let { prompt } = question
  let problem = ''
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = await ask(prompt, { output: { format: 'json', schema: question.schema } })
    if ('failure' in answer) return answer
    const value = question.read(readJson(answer.text), answer.text)
    if (!isProblem(value)) return { value }
    problem = value.problem
    prompt = `${problem} Answer again, with the JSON object alone.`
  }
  return { failure: failure('composition_bad_answer', `The model of ${definition.name}: ${problem}`) }
}

function isProblem(value: unknown): value is { readonly problem: string } {
  return typeof value === 'object' && value !== null && 'problem' in value
}

/**
 * Parses the text from its first to its last brace as a JSON object. Returns `undefined` if that fails or the
 * object is nested too deeply.
 */
export function readJson(text: string): JsonObject | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start === -1 || end < start) return undefined
  try {
    const json = text.slice(start, end + 1)
    const value: unknown = JSON.parse(json)
    return isJsonObject(value) && !isJsonTextTooDeep(json, value) ? value : undefined
  } catch {
    // Not JSON: the caller handles it.
    return undefined
  }
}
