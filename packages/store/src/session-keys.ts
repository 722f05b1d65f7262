import { troupeError, type RootRunFilter, type SessionKey } from '@troupe/schema'

/** Returns a unique text for a session key. */
export function sessionKeyText({ principal, sessionId }: SessionKey): string {
  return `${principal.length} ${principal}${sessionId}`
}

/** Returns true if a session matches a filter. */
export function matchesSession(
  session: SessionKey | undefined,
  { principal, sessionId }: RootRunFilter,
): boolean {
  return session?.principal === principal && (sessionId === undefined || session.sessionId === sessionId)
}

/** Creates the error for a session that has another open run. */
export function sessionBusyError(rootRunId: string): Error {
  return troupeError('session_busy', `The run ${rootRunId} of this conversation has not ended.`)
}

/** Creates the error for a root run that is unknown, or unknown to the principal. */
export function runUnknownError(rootRunId: string): Error {
  return troupeError('run_unknown', `There is no run ${rootRunId.slice(0, 100)} in the store.`)
}
