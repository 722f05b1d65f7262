import { acceptedInputSchema, toChildInput } from '@troupe/registry'
import {
  failure,
  isJsonTooDeep,
  MAX_JSON_DEPTH,
  type AgentDefinition,
  type Failure,
  type JsonObject,
  type RunOptions,
  type ValidateArguments,
} from '@troupe/schema'

/**
 * Converts the input of an agent to its first message. A text is used as it is; an object is validated and
 * converted like call arguments. Returns a failure for invalid input.
 */
export function toInput(
  definition: AgentDefinition,
  input: string | JsonObject,
  { validate, attachments = [] }: { readonly validate: ValidateArguments } & Pick<RunOptions, 'attachments'>,
): string | Failure {
  if (attachments.length > 0 && definition.type !== 'agent')
    return failure(
      'input_invalid',
      `${definition.name} is a ${definition.type}, which shows files to nobody.`,
      'Send them to an agent of type `agent`.',
    )
  if (typeof input === 'string') return input
  if (isJsonTooDeep(input))
    return failure(
      'input_invalid',
      `The input of the agent ${definition.name} is nested more than ${MAX_JSON_DEPTH} deep.`,
    )
  const valid = validate(acceptedInputSchema(definition), input)
  if (valid.ok) return toChildInput(definition, valid.args)
  return failure(
    'input_invalid',
    `The input does not fit the agent ${definition.name}: ${valid.problems.join('; ')}`,
  )
}
