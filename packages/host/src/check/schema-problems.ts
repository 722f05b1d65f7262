import { failure, type AgentDefinition, type Failure, type JsonObject } from '@troupe/schema'
import { schemaProblem } from '@troupe/tools'

/** Something wrong with a schema of an agent, and the key it stands under. */
export interface SchemaFault {
  readonly problem: Failure
  readonly path: readonly [key: 'input' | 'output', 'schema']
}

/** Schemas of an agent that nothing can be checked against: said before a model is paid for an answer that could not be taken (C80). */
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

/** An agent that is called gets arguments, and arguments are an object. */
function argumentProblem({ type }: JsonObject): string | undefined {
  if (type === undefined || [type].flat().includes('object')) return undefined
  return `an agent is given an object, and this schema is of type ${JSON.stringify(type)}`
}
