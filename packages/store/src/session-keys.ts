import { troupeError, type RootFilter, type SessionKey } from '@troupe/schema'

/** True where both are of one session. */
export function sameSession(one: SessionKey | undefined, other: SessionKey | undefined): boolean {
  return other !== undefined && isOf(one, other)
}

/** True for a session that the filter lets pass: one of a principal, or the one of an id. */
export function isOf(session: SessionKey | undefined, { principal, sessionId }: RootFilter): boolean {
  return session?.principal === principal && (sessionId === undefined || session.sessionId === sessionId)
}

/** Another root of the session is open. */
export function sessionBusy(rootRunId: string): Error {
  return troupeError('session_busy', `The run ${rootRunId} of this conversation has not ended.`)
}
