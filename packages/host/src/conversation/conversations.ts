import type { Failure, MaybePromise, Redactor, RunRequest, RunResult, SessionKey } from '@troupe/schema'

/** A request for the next turn of a session. */
export interface WantedTurn {
  readonly runId: string
  readonly agent: string
  readonly session: SessionKey
  /** True if an unknown session is refused instead of created. */
  readonly continueOnly: boolean
  /** True if the caller named no session, so there is no history. */
  readonly isNew: boolean
  /** Restores the secrets in stored messages. */
  readonly redactor: Redactor | undefined
}

/** A turn that may run. */
export interface Turn {
  /**
   * Returns what the run continues from. Call it once the run holds the session, so that the history can no
   * longer change.
   */
  past(): MaybePromise<Pick<RunRequest, 'history' | 'continues'>>
  /** Ends the turn, with `undefined` if the run gave no result. Call once. */
  end(result: RunResult | undefined): void
}

/** A source of sessions: a store, or memory. */
export interface Conversations {
  /** Starts a turn. Returns the refusal if the run may not start. */
  begin(turn: WantedTurn): MaybePromise<Turn | Failure>
}

/** A turn without history. */
export const NOTHING_BEFORE: Turn = Object.freeze({ past: () => ({}), end: () => undefined })

/** Returns true if the turn was refused. */
export function isRefusal(begun: Turn | Failure): begun is Failure {
  return 'code' in begun
}
