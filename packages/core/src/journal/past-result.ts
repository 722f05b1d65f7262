import { NO_PROBLEMS, type EventPayloads, type RunRequest, type RunResult } from '@troupe/schema'
import type { Journal } from './journal.ts'
import { pastMessages } from './past-messages.ts'

/**
 * Returns the result of a run that had ended before its root was interrupted, or `undefined` if it had not. Its usage and its problems are
 * not counted here: the run above it has restored them.
 */
export function pastResult(journal: Journal, request: RunRequest): RunResult | undefined {
  const end = journal.step('end') as EventPayloads['run-end'] | undefined
  if (end === undefined) return undefined
  const { runId, agent } = request
  return { runId, agent: agent.name, ...fromEnd(end), messages: pastMessages(journal, request) }
}

/** Reads the result of a run from its end. Ends of earlier versions have neither `activeMs` nor problems. */
export function fromEnd(end: EventPayloads['run-end']): Omit<RunResult, 'runId' | 'agent' | 'messages'> {
  const { output, error } = end
  return {
    outcome: end.outcome,
    text: output.text ?? '',
    ...(output.value === undefined ? {} : { value: output.value }),
    ...(error === undefined ? {} : { failure: error }),
    usage: end.usage,
    byAgent: end.byAgent,
    unpriced: end.unpriced,
    problems: end.problems ?? NO_PROBLEMS.problems,
    problemCount: end.problemCount ?? 0,
    durationMs: end.durationMs,
    activeMs: end.activeMs ?? end.durationMs,
  }
}
