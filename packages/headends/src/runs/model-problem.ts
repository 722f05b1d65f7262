import { failure, type Failure, type ModelChoice } from '@troupe/schema'

/**
 * Returns a failure if the model is not one of the choices. A server uses only models that were configured,
 * because its keys pay for them.
 */
export function modelProblem(
  model: string | undefined,
  choices: readonly ModelChoice[],
): Failure | undefined {
  if (model === undefined || choices.some(({ id }) => id === model)) return undefined
  const known = choices.map(({ id }) => id).join(', ')
  return failure('model_unknown', `model: "${model.slice(0, 100)}" is none of ${known}.`)
}
