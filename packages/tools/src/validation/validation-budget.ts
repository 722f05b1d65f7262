/**
 * Work limit of one validation, in units of about 10 ns. Validation is synchronous, so this limits how long
 * it blocks the event loop.
 */
export const MAX_WORK = 5_000_000

/** Thrown when a validation exceeds its work limit. */
export class WorkExceededError extends Error {
  override readonly name = 'WorkExceededError'
}

/** Counts the work of one validation. Deterministic: the same schema and data always give the same result. */
export class ValidationBudget {
  #left: number
  readonly #message: string

  constructor(units: number, message: string) {
    this.#left = units
    this.#message = message
  }

  /** Throws `WorkExceededError` if the limit is exceeded. Call it before doing the work. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new WorkExceededError(this.#message)
  }
}
