import {
  failure,
  type AgentDefinition,
  type Failure,
  type JsonObject,
  type OutputContract,
} from '@troupe/schema'
import { schemaProblem } from '@troupe/tools'

/** The output format that a caller requests. */
export interface OutputOptions {
  readonly format?: OutputContract['format'] | undefined
  readonly schema?: JsonObject | undefined
}

/**
 * Returns the output contract of the run, or `undefined` to use the agent's own. The caller's schema
 * overrides the agent's; JSON needs one of the two. A schema alone requests JSON.
 */
export function resolveOutput(
  { format, schema }: OutputOptions,
  { name, output }: Pick<AgentDefinition, 'name' | 'output'>,
): OutputContract | Failure | undefined {
  if (format === undefined && schema === undefined) return undefined
  if (schema !== undefined) {
    if (format !== undefined && format !== 'json')
      return failure(
        'invalid_schema',
        `A schema requires the format json, but the format is ${format}.`,
        'Leave out one of the two.',
      )
    const problem = schemaProblem(schema)
    if (problem !== undefined) return failure('invalid_schema', `The schema is not valid: ${problem}`)
    return { format: 'json', schema }
  }
  if (format === 'json' && output.schema === undefined)
    return failure('missing_schema', `${name} has no output schema, and the request has none either.`)
  return format === undefined ? undefined : { format }
}
