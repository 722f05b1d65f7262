import {
  failure,
  hasAnswer,
  outcomeOf,
  publicFailure,
  type ComposedEnd,
  type Failure,
  type RunResult,
} from '@troupe/schema'

/** The end of a composition whose answer is that of one child, whatever its outcome. */
export function endOf(result: RunResult, text: string = result.text): ComposedEnd {
  return {
    outcome: result.outcome,
    text,
    ...(result.failure === undefined ? {} : { failure: result.failure }),
  }
}

/** A whole answer, or a partial one with the reason why it is not whole. */
export function answer(text: string, limited: Failure | undefined): ComposedEnd {
  return limited === undefined
    ? { outcome: 'completed', text }
    : { outcome: 'partial', text, failure: limited }
}

/** The end of a composition that cannot go on. */
export function failed(reason: Failure, text = ''): ComposedEnd {
  return { outcome: outcomeOf(reason), text, failure: reason }
}

/** Why an answer that was made without some of the results is partial; undefined when none is missing. */
export function missingResults(results: readonly RunResult[]): Failure | undefined {
  const missing = results.filter((result) => !hasAnswer(result.outcome))
  if (missing.length > 0) return failure('child_failed', `Without ${missing.map(whyMissing).join('; ')}`)
  return results.find((result) => result.outcome === 'partial')?.failure
}

/** A result as the next agent reads it: one that failed says so. */
export function resultSection({ agent, outcome, text, failure: reason }: RunResult): string {
  const why = reason && publicFailure(reason).message
  if (!hasAnswer(outcome)) return `${agent} failed: ${why ?? outcome}`
  const note = outcome === 'partial' ? ` (partial: ${why ?? 'not finished'})` : ''
  return `${agent} answered${note}:\n${text}`
}

/** The request and what agents made of it, for the next one. */
export function requestWith(input: string, results: readonly RunResult[]): string {
  return [`The request was:\n${input}`, ...results.map(resultSection)].join('\n\n')
}

function whyMissing({ agent, outcome, failure: reason }: RunResult): string {
  return `${agent} (${outcome}): ${reason === undefined ? 'it gave no reason' : publicFailure(reason).message}`
}
