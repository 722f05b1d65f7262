import {
  failure,
  type AgentDefinition,
  type Failure,
  type JsonObject,
  type OutputContract,
} from '@troupe/schema'
import { schemaProblem } from '@troupe/tools'

/** The form that a caller wants an answer in. */
export interface OutputWish {
  readonly format?: OutputContract['format'] | undefined
  readonly schema?: JsonObject | undefined
}

/**
 * What the run is asked for (R12): the schema of the caller wins over that of the agent; JSON needs one of the two. Undefined: the form that the agent
 * has anyway. A schema alone asks for JSON.
 */
export function wishedOutput(
  { format, schema }: OutputWish,
  { name, output }: Pick<AgentDefinition, 'name' | 'output'>,
): OutputContract | Failure | undefined {
  if (format === undefined && schema === undefined) return undefined
  if (schema !== undefined) {
    if (format !== undefined && format !== 'json')
      return failure(
        'invalid_schema',
        `A schema is for JSON, and the format is ${format}.`,
        'Leave one of the two out.',
      )
    const problem = schemaProblem(schema)
    if (problem !== undefined) return failure('invalid_schema', `The schema cannot be used: ${problem}`)
    return { format: 'json', schema }
  }
  if (format === 'json' && output.schema === undefined)
    return failure('missing_schema', `${name} has no schema of its own, and none was sent.`)
  return format === undefined ? undefined : { format }
}
