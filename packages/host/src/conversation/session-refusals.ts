import { failure, type Failure } from '@troupe/schema'

/**
 * Returns the refusal for a session that does not exist or belongs to another principal. The message does not
 * reveal which.
 */
export function sessionUnknown(sessionId: string): Failure {
  return failure('session_unknown', `There is no conversation ${sessionId}.`)
}

/** Returns the refusal for a session that belongs to another agent. */
export function sessionMismatch(
  sessionId: string,
  { agent, wanted }: { readonly agent: string; readonly wanted: string },
): Failure {
  return failure(
    'session_mismatch',
    `The conversation ${sessionId} is one with ${agent}, not with ${wanted}.`,
  )
}

/** Returns the refusal for a session whose last run has not ended or waits for a decision. */
export function sessionBusy(
  sessionId: string,
  { runId, isWaiting = false }: { readonly runId: string; readonly isWaiting?: boolean },
): Failure {
  return isWaiting
    ? failure(
        'session_busy',
        `The run ${runId} of the conversation ${sessionId} waits for a decision.`,
        `Decide, and it goes on: troupe runs approve ${runId}`,
      )
    : failure('session_busy', `The run ${runId} of the conversation ${sessionId} has not ended.`)
}
