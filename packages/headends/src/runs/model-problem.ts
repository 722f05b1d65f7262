import { failure, type Failure, type ModelChoice } from '@troupe/schema'

/** A server asks no model that nobody has configured: its keys pay for it. Undefined: it is one of the choices, or none is named. */
export function modelProblem(
  model: string | undefined,
  choices: readonly ModelChoice[],
): Failure | undefined {
  if (model === undefined || choices.some(({ id }) => id === model)) return undefined
  const known = choices.map(({ id }) => id).join(', ')
  return failure('model_unknown', `model: "${model.slice(0, 100)}" is none of ${known}.`)
}
