import { ERRORS, type ErrorCode } from './error-table.ts'
import type { FailureClass } from './error-table/failure-classes.ts'
import type { Outcome } from './outcome.ts'

/** Why something failed, as data: this is what crosses ports, events and stores. */
export interface Failure {
  readonly class: FailureClass
  readonly code: ErrorCode
  readonly message: string
  readonly remediation: string
  /** When another attempt is allowed, wall time in ms: where a provider named a time that is too far away to wait for. */
  readonly retryAt?: number
}

/** A failure of the given code. `message` says what happened here; `fix` replaces the general remedy. */
export function failure(code: ErrorCode, message: string, fix?: string): Failure {
  const entry = ERRORS[code]
  return { class: entry.class, code, message, remediation: fix ?? entry.fix }
}

/** The outcome a run or call has when it ends with this failure. */
export function outcomeOf(reason: Failure): Outcome {
  if (reason.code === 'approval_denied' || reason.code === 'permission_denied') return 'denied'
  if (reason.class === 'timeout') return 'timeout'
  if (reason.class === 'budget') return 'budget'
  if (reason.class === 'cancelled') return 'cancelled'
  return 'failed'
}

const BRAND = Symbol.for('troupe.error')

/** Thrown for misuse and broken configuration, at construction time. Inside a run a failure is a value. */
export class TroupeError extends Error {
  readonly failure: Failure

  constructor(reason: Failure, options?: { readonly cause?: unknown }) {
    super(reason.message, options)
    this.name = 'TroupeError'
    this.failure = reason
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** The pinned code, for matching. */
  get code(): ErrorCode {
    return this.failure.code
  }

  /** True for an error of this class, also one from another copy of the package. */
  static isInstance(value: unknown): value is TroupeError {
    return typeof value === 'object' && value !== null && BRAND in value
  }
}

/** A throwable error of the given code. */
export function troupeError(
  code: ErrorCode,
  message: string,
  options: { readonly fix?: string; readonly cause?: unknown } = {},
): TroupeError {
  return new TroupeError(
    failure(code, message, options.fix),
    options.cause === undefined ? undefined : { cause: options.cause },
  )
}

/** Anything thrown becomes a failure: our own keep theirs, foreign ones get `code`. */
export function toFailure(thrown: unknown, code: ErrorCode = 'internal'): Failure {
  if (TroupeError.isInstance(thrown)) return thrown.failure
  return failure(code, errorMessage(thrown))
}

/** The message of anything thrown; never empty. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name
  if (typeof thrown === 'string') return thrown || 'unknown error'
  try {
    return String(thrown)
  } catch {
    // an object whose own toString throws: nothing better can be said of it
    return 'unknown error'
  }
}
