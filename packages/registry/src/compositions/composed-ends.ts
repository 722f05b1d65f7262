import {
  failure,
  hasAnswer,
  outcomeOf,
  publicFailure,
  type ComposedEnd,
  type Failure,
  type RunResult,
} from '@troupe/schema'

/** Ends a composition with the outcome and answer of one child. */
export function toComposedEnd(result: RunResult, text: string = result.text): ComposedEnd {
  return {
    outcome: result.outcome,
    text,
    ...(result.failure === undefined ? {} : { failure: result.failure }),
  }
}

/** Returns a complete answer, or a partial one if `limited` has a reason. */
export function toAnswerEnd(text: string, limited: Failure | undefined): ComposedEnd {
  return limited === undefined
    ? { outcome: 'completed', text }
    : { outcome: 'partial', text, failure: limited }
}

/** Ends a composition with a failure. */
export function toFailedEnd(reason: Failure, text = ''): ComposedEnd {
  return { outcome: outcomeOf(reason), text, failure: reason }
}

/**
 * Returns the failure that makes an answer partial because results are missing or partial, or `undefined` if
 * all are complete.
 */
export function missingResultsFailure(results: readonly RunResult[]): Failure | undefined {
  const missing = results.filter((result) => !hasAnswer(result.outcome))
  if (missing.length > 0) return failure('child_failed', `Without ${missing.map(whyMissing).join('; ')}`)
  return results.find((result) => result.outcome === 'partial')?.failure
}

/** Formats a result for the prompt of the next agent; marks failed and partial ones. */
export function resultSection({ agent, outcome, text, failure: reason }: RunResult): string {
  const why = reason && publicFailure(reason).message
  if (!hasAnswer(outcome)) return `${agent} failed: ${why ?? outcome}`
  const note = outcome === 'partial' ? ` (partial: ${why ?? 'not finished'})` : ''
  return `${agent} answered${note}:\n${text}`
}

/** Formats the request and the results so far for the prompt of the next agent. */
export function requestWith(input: string, results: readonly RunResult[]): string {
  return [`The request was:\n${input}`, ...results.map(resultSection)].join('\n\n')
}

function whyMissing({ agent, outcome, failure: reason }: RunResult): string {
  return `${agent} (${outcome}): ${reason === undefined ? 'it gave no reason' : publicFailure(reason).message}`
}
