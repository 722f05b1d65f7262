import { failure, hasAnswer, type Failure, type RunReport } from '@troupe/schema'
import { isFailure } from './is-failure.ts'

/**
 * Returns the report if the run has a complete or partial answer, otherwise the failure that explains why it
 * has none.
 */
export function answerOf(end: RunReport | Failure): RunReport | Failure {
  if (isFailure(end) || hasAnswer(end.outcome)) return end
  return end.error ?? failure('internal', `The run ended as ${end.outcome} and does not say why.`)
}
