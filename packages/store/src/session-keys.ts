import { troupeError, type RootFilter, type SessionKey } from '@troupe/schema'

/** One text for each session: no two have the same. */
export function nameOf({ principal, sessionId }: SessionKey): string {
  return `${principal.length} ${principal}${sessionId}`
}

/** True for a session that the filter lets pass: one of a principal, or the one of an id. */
export function isOf(session: SessionKey | undefined, { principal, sessionId }: RootFilter): boolean {
  return session?.principal === principal && (sessionId === undefined || session.sessionId === sessionId)
}

/** Another root of the session is open. */
export function sessionBusy(rootRunId: string): Error {
  return troupeError('session_busy', `The run ${rootRunId} of this conversation has not ended.`)
}

/** Creates the error for a root that the store does not have, or not for this principal. */
export function unknownRoot(rootRunId: string): Error {
  return troupeError('run_unknown', `There is no run ${rootRunId.slice(0, 100)} in the store.`)
}
