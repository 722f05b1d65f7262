import { failure, hasAnswer, type Failure, type RunReport } from '@troupe/schema'
import { isFailure } from './is-failure.ts'

/** The report of a run that has an answer, also a partial one; else why there is none. */
export function answerOf(end: RunReport | Failure): RunReport | Failure {
  if (isFailure(end) || hasAnswer(end.outcome)) return end
  return end.error ?? failure('internal', `The run ended as ${end.outcome} and does not say why.`)
}
