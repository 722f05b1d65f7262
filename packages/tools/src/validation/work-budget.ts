/** The work of one validation, in units of about 10 ns. All of it is done in one piece, so it bounds how long the event loop is held. */
export const MAX_WORK = 5_000_000

/** Thrown when a validation needs more work than it may do. */
export class WorkExceededError extends Error {
  override readonly name = 'WorkExceededError'
}

/** Counts the work of one validation. Counting is exact, so the same schema and data always give the same result. */
export class WorkBudget {
  #left: number
  readonly #message: string

  constructor(units: number, message: string) {
    this.#left = units
    this.#message = message
  }

  /** Throws `WorkExceededError` when nothing is left. Call it before the work is done. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new WorkExceededError(this.#message)
  }
}
