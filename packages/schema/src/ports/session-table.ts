import type { MaybePromise } from '../text/json.ts'

/** Key of a conversation. Session ids are unique per principal. */
export interface SessionKey {
  readonly sessionId: string
  readonly principal: string
}

/** The run of another session whose message a branch replaces. */
export interface BranchOrigin {
  readonly sessionId: string
  readonly runId: string
}

/** Data of a session in addition to its runs. */
export interface SessionEntry extends SessionKey {
  /** The name that a person gave it. */
  readonly name?: string
  readonly archived: boolean
  /** Set if the session branches off another one. */
  readonly branchOf?: BranchOrigin
}

/** Changes of a session. Fields that are not set stay as they are. */
export interface SessionChange {
  /** At most {@link MAX_SESSION_NAME} characters. An empty text removes the name. */
  readonly name?: string
  readonly archived?: boolean
  readonly branchOf?: BranchOrigin
}

/** Maximum number of characters in the name of a session. */
export const MAX_SESSION_NAME = 200

/** Persists names and other properties of sessions. Deleting the last root run of a session deletes its entry. */
export interface SessionTable {
  /** Returns the entries of the sessions of a principal, or of all, for those that have one. */
  list(principal?: string): MaybePromise<readonly SessionEntry[]>
  /** Changes a session. Returns false if the store has no root run of it. */
  set(session: SessionKey, change: SessionChange): MaybePromise<boolean>
}
