import { ERRORS, type ErrorCode, type FailureClass } from './error-table.ts'

/** A failure as data. This is the form that crosses ports, events and stores. */
export interface Failure {
  /** The kind of failure, by which a program decides what to do. */
  readonly class: FailureClass
  /** The code in the error table, such as `env_missing`. */
  readonly code: ErrorCode
  /** A description of the failure, for a person. */
  readonly message: string
  /** A way to fix it, for a person. */
  readonly remediation: string
  /** Earliest time for another attempt, wall time in ms. Set if the provider or a limit gave one. */
  readonly retryAt?: number
}

/**
 * Creates a failure of the given code. `message` describes this case; `fix` replaces the general remedy of
 * the code.
 */
export function failure(code: ErrorCode, message: string, fix?: string): Failure {
  const entry = ERRORS[code]
  return { class: entry.class, code, message, remediation: fix ?? entry.fix }
}

const DENIALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'approval_denied',
  'permission_denied',
  'guard_denied',
  'guard_failed',
])

/** Returns the outcome of a run or call that ends with this failure. */
export function outcomeOf(reason: Failure): Outcome {
  if (DENIALS.has(reason.code)) return 'denied'
  if (reason.class === 'timeout') return 'timeout'
  if (reason.class === 'budget') return 'budget'
  if (reason.class === 'cancelled') return 'cancelled'
  return 'failed'
}

const BRAND = Symbol.for('troupe.error')

/** Thrown for misuse and broken configuration, at construction time. Within a run, failures are values. */
export class TroupeError extends Error {
  readonly failure: Failure

  constructor(reason: Failure, options?: { readonly cause?: unknown }) {
    super(reason.message, options)
    this.name = 'TroupeError'
    this.failure = reason
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** The stable error code, for matching. */
  get code(): ErrorCode {
    return this.failure.code
  }

  /** Returns true for an error of this class, even from another copy of the package. */
  static isInstance(value: unknown): value is TroupeError {
    return typeof value === 'object' && value !== null && BRAND in value
  }
}

/** Creates a throwable error of the given code. */
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

/**
 * Converts anything thrown to a failure. A {@link TroupeError} keeps its failure, other values get `code`.
 */
export function toFailure(thrown: unknown, code: ErrorCode = 'internal'): Failure {
  if (TroupeError.isInstance(thrown)) return thrown.failure
  return failure(code, errorMessage(thrown))
}

/** Returns a text with a full stop if it ends without a mark, so that another sentence can follow. */
export function endSentence(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`
}

/** Returns the message of anything thrown. Never empty. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name
  if (typeof thrown === 'string') return thrown || 'unknown error'
  try {
    return String(thrown)
  } catch {
    // an object whose own toString throws has no message
    return 'unknown error'
  }
}

/** Outcomes of runs and tool calls. Each ends with exactly one. */
export const OUTCOMES = [
  'completed',
  'partial',
  'failed',
  'timeout',
  'budget',
  'cancelled',
  'denied',
] as const

/** See {@link OUTCOMES}. `partial` has an answer that was cut short by a limit. */
export type Outcome = (typeof OUTCOMES)[number]

/** Returns true for outcomes with a usable answer: `completed` and `partial`. */
export function hasAnswer(outcome: Outcome): boolean {
  return outcome === 'completed' || outcome === 'partial'
}
