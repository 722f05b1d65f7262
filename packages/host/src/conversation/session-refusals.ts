import { failure, type Failure } from '@troupe/schema'

/** What is said of a conversation that is not there, and of one of somebody else: the same. */
export function sessionUnknown(sessionId: string): Failure {
  return failure('session_unknown', `There is no conversation ${sessionId}.`)
}

/** One agent does not go on with what another one has said and called. */
export function sessionMismatch(
  sessionId: string,
  { agent, wanted }: { readonly agent: string; readonly wanted: string },
): Failure {
  return failure(
    'session_mismatch',
    `The conversation ${sessionId} is one with ${agent}, not with ${wanted}.`,
  )
}

/** A run of it is at work, or waits for a decision. */
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
