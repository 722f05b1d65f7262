import { failure, hasAnswer, type Failure, type RunOutput, type Json } from '@troupe/schema'
import { isJsonTextTooDeep, MAX_JSON_DEPTH } from '@troupe/schema/json'
import type { PreparedAgent } from '@troupe/schema/ports'
import { redacted, type Run, type RunEnd } from '../run/run.ts'

interface CheckedOutput {
  readonly output: RunOutput
  readonly failure?: Failure
}

/**
 * Creates the output of a run in the requested format. JSON is parsed and validated before the run counts as
 * completed. Without a schema, an answer that is not JSON or is nested too deep becomes `{format, content}`,
 * so that the output is always JSON. A `value` always matches the schema.
 */
export function toOutput(
  run: Run,
  end: RunEnd,
  prepared: Pick<PreparedAgent, 'validate'> | undefined,
): CheckedOutput {
  const { format, schema } = run.output
  const text = redacted(run, end.text)
  if (format !== 'json') return { output: { format, text } }
  if (!hasAnswer(end.outcome)) return { output: { format, text } }
  if (schema === undefined) {
    const parsed = parseAnswer(text)
    return { output: 'problem' in parsed ? wrapAsJson(run, text) : { format, text, value: parsed.value } }
  }
  const parsed = parseAnswer(text, { allowSurroundingText: true })
  if ('problem' in parsed) return mismatch({ format, text }, parsed.problem)
  const { value } = parsed
  const checked = prepared?.validate(schema, value)
  if (checked?.ok !== false) return { output: { format, text, value: checked?.args ?? value } }
  const problems = checked.problems.join('; ')
  return mismatch({ format, text }, `The answer does not match the output schema: ${problems}.`)
}

/** Wraps an answer in JSON, as both the text and the value. */
function wrapAsJson({ definition }: Run, content: string): RunOutput {
  // an agent that should write JSON and did not has most likely written Markdown
  const format = definition.output.format === 'text' ? 'text' : 'markdown'
  const value = { format, content }
  return { format: 'json', text: JSON.stringify(value), value }
}

function mismatch(output: RunOutput, message: string): CheckedOutput {
  return { output, failure: failure('output_schema_mismatch', message) }
}

const FENCE = '```'

/** The JSON value of an answer, or a sentence that describes the problem. */
type ParsedAnswer = { readonly value: Json } | { readonly problem: string }

/**
 * Parses the JSON of an answer, with or without a fence around it. On request, a single fenced block among
 * other text is accepted too.
 */
function parseAnswer(text: string, options: { readonly allowSurroundingText?: boolean } = {}): ParsedAnswer {
  const trimmed = text.trim()
  const isFenced = trimmed.length > 2 * FENCE.length && trimmed.startsWith(FENCE) && trimmed.endsWith(FENCE)
  const parsed = parse(isFenced ? bodyOf(trimmed.slice(FENCE.length, -FENCE.length)) : trimmed)
  if (parsed !== NOT_JSON || options.allowSurroundingText !== true) return parsed
  const parts = text.split(FENCE)
  return parts.length === 3 ? parse(bodyOf(parts[1] ?? '')) : NOT_JSON
}

/** The JSON of an answer; `isWhole` is false if there is text around it. */
interface JsonAnswer {
  readonly value: Json
  readonly isWhole: boolean
}

/** Returns the JSON of an answer in the forms that an output accepts, or `undefined` without any. */
export function readJsonAnswer(text: string): JsonAnswer | undefined {
  const whole = parseAnswer(text)
  if (!('problem' in whole)) return { value: whole.value, isWhole: true }
  const part = parseAnswer(text, { allowSurroundingText: true })
  return 'problem' in part ? undefined : { value: part.value, isWhole: false }
}

/** Returns the content of a fenced block. Empty if its language is not JSON. */
function bodyOf(block: string): string {
  const line = block.indexOf('\n')
  const language = block.slice(0, Math.max(0, line)).trim().toLowerCase()
  return line !== -1 && (language === '' || language === 'json') ? block.slice(line + 1) : ''
}

function parse(text: string): ParsedAnswer {
  try {
    const value = JSON.parse(text) as Json
    return isJsonTextTooDeep(text, value) ? TOO_DEEP : { value }
  } catch {
    // not JSON
    return NOT_JSON
  }
}

const NOT_JSON: ParsedAnswer = { problem: 'The answer is not valid JSON.' }
const TOO_DEEP: ParsedAnswer = { problem: `The answer is nested more than ${MAX_JSON_DEPTH} levels deep.` }
