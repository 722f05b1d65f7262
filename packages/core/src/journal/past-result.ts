import { NO_PROBLEMS, type EventPayloads, type RunRequest, type RunResult } from '@troupe/schema'
import type { Journal } from './journal.ts'
import { pastMessages } from './past-messages.ts'

/**
 * Returns the result of a run that ended before its root run was interrupted, or `undefined`. Its usage and
 * problems are not counted here, because its parent has restored them.
 */
export function pastResult(journal: Journal, request: RunRequest): RunResult | undefined {
  const end = journal.step('end') as EventPayloads['run-end'] | undefined
  if (end === undefined) return undefined
  const { runId, agent } = request
  return { runId, agent: agent.name, ...resultFromEnd(end), messages: pastMessages(journal, request) }
}

/**
 * Converts a `run-end` event to a result. Events of earlier versions have neither `activeMs` nor problems.
 */
export function resultFromEnd(
  end: EventPayloads['run-end'],
): Omit<RunResult, 'runId' | 'agent' | 'messages'> {
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
