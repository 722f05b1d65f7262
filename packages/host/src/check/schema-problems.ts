import { failure, type AgentDefinition, type Failure, type JsonObject } from '@troupe/schema'
import { schemaProblem } from '@troupe/tools'

/** An invalid schema of an agent and its path in the card. */
export interface SchemaFault {
  readonly problem: Failure
  readonly path: readonly [key: 'input' | 'output', 'schema']
}

/** Finds input and output schemas that cannot be used for validation, before a model call is paid for. */
export function schemaProblems({
  input,
  output,
}: Pick<AgentDefinition, 'input' | 'output'>): readonly SchemaFault[] {
  return [
    ...faultOf('input', input.schema && (schemaProblem(input.schema) ?? argumentProblem(input.schema))),
    ...faultOf('output', output.schema && schemaProblem(output.schema)),
  ]
}

function faultOf(key: 'input' | 'output', why: string | undefined): readonly SchemaFault[] {
  if (why === undefined) return []
  return [{ problem: failure('invalid_schema', `${key}.schema: ${why}.`), path: [key, 'schema'] }]
}

/** Returns a problem if the schema excludes objects, since an agent is always called with an object. */
function argumentProblem({ type }: JsonObject): string | undefined {
  if (type === undefined || [type].flat().includes('object')) return undefined
  return `an agent is given an object, and this schema is of type ${JSON.stringify(type)}`
}
