import { troupeError, type RootFilter, type SessionKey } from '@troupe/schema'

/** Returns a unique text for a session key. */
export function nameOf({ principal, sessionId }: SessionKey): string {
  return `${principal.length} ${principal}${sessionId}`
}

/** Returns true if a session matches a filter. */
export function isOf(session: SessionKey | undefined, { principal, sessionId }: RootFilter): boolean {
  return session?.principal === principal && (sessionId === undefined || session.sessionId === sessionId)
}

/** Creates the error for a session that has another open run. */
export function sessionBusy(rootRunId: string): Error {
  return troupeError('session_busy', `The run ${rootRunId} of this conversation has not ended.`)
}

/** Creates the error for a root run that is unknown, or unknown to the principal. */
export function unknownRoot(rootRunId: string): Error {
  return troupeError('run_unknown', `There is no run ${rootRunId.slice(0, 100)} in the store.`)
}
