import type { Failure, MaybePromise, Redactor, RunRequest, RunResult, SessionKey } from '@troupe/schema'

/** The next run of a conversation, or the first. */
export interface WantedTurn {
  readonly runId: string
  readonly agent: string
  readonly session: SessionKey
  /** A conversation that is not there is refused. */
  readonly continueOnly: boolean
  /** Nobody named a conversation: there is nothing before the run. */
  readonly isNew: boolean
  /** Puts the secrets back into what is kept. */
  readonly redactor: Redactor | undefined
}

/** A run that may begin. */
export interface Turn {
  /** What it starts from. Asked for when the run holds its conversation: nothing of that changes from then on. */
  past(): MaybePromise<Pick<RunRequest, 'history' | 'continues'>>
  /** The run is over; none: it gave no result. Once. */
  end(result: RunResult | undefined): void
}

/** The conversations that are kept in one place (decision 18). */
export interface Conversations {
  /** What keeps the run from beginning is the answer. */
  begin(turn: WantedTurn): MaybePromise<Turn | Failure>
}

/** A run that nothing comes before. */
export const NOTHING_BEFORE: Turn = Object.freeze({ past: () => ({}), end: () => undefined })

/** True for a run that may not begin. */
export function isRefusal(begun: Turn | Failure): begun is Failure {
  return 'code' in begun
}
