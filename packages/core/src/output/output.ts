import { failure, hasAnswer, type Failure, type RunOutput } from '@troupe/schema'
import { parseAnswer } from './parse-answer.ts'
import { redacted, type Run } from '../session/run.ts'
import type { RunEnd } from '../session/run-end.ts'

interface CheckedOutput {
  readonly output: RunOutput
  readonly failure?: Failure
}

/**
 * Creates the output of a run in the requested format. JSON is parsed and validated before the run counts as
 * completed. Without a schema, an answer that is not JSON or is nested too deep becomes `{format, content}`,
 * so that the output is always JSON. A `value` always matches the schema.
 */
export function toOutput(run: Run, end: RunEnd): CheckedOutput {
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
  const checked = run.prepared?.validate(schema, value)
  if (checked?.ok !== false) return { output: { format, text, value: checked?.args ?? value } }
  const problems = checked.problems.join('; ')
  return mismatch({ format, text }, `The answer does not match the output schema: ${problems}`)
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
