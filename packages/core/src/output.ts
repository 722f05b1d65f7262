import { failure, hasAnswer, isJsonObject, type Failure, type Json, type RunOutput } from '@troupe/schema'
import { redacted, type Run } from './run.ts'
import type { RunEnd } from './run-end.ts'

/** The output of a run in the format of its agent. JSON is parsed and checked before a run is called completed. */
export function toOutput(run: Run, end: RunEnd): { readonly output: RunOutput; readonly failure?: Failure } {
  const { format, schema } = run.definition.output
  const text = redacted(run, end.text)
  if (format !== 'json') return { output: { format, text } }
  const value = parseAnswer(text)
  if (value === undefined) {
    if (!hasAnswer(end.outcome)) return { output: { format, text } }
    return { output: { format, text }, failure: failure('output_schema_mismatch', 'The answer is not JSON.') }
  }
  const problems =
    schema !== undefined && isJsonObject(value) ? run.prepared?.validate(schema, value) : undefined
  if (problems?.ok === false && hasAnswer(end.outcome)) {
    return {
      output: { format, text, value },
      failure: failure(
        'output_schema_mismatch',
        `The answer does not match the output schema: ${problems.problems.join('; ')}`,
      ),
    }
  }
  return { output: { format, text, value } }
}

/** The JSON value of an answer, also out of one fenced block; undefined when it is not JSON. */
function parseAnswer(text: string): Json | undefined {
  const fenced = /^\s*```(?:json)?\s*\n(?<body>[\s\S]*?)\n\s*```\s*$/u.exec(text)?.groups?.['body']
  try {
    return JSON.parse(fenced ?? text) as Json
  } catch {
    // not JSON: the caller decides what that means
    return undefined
  }
}
