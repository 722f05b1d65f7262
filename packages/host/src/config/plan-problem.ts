import { failure, type ErrorCode, type Failure } from '@troupe/schema'
import { closest } from '@troupe/schema/text'

/** An error or warning about a team, with its location if known. */
export interface PlanProblem {
  readonly severity: 'error' | 'warning'
  readonly code: ErrorCode
  readonly message: string
  readonly file?: string
  /** 1-based. */
  readonly line?: number
  /** 1-based. */
  readonly column?: number
  /** Suggested fix. */
  readonly fix?: string
  /** Name of the affected agent, if known. */
  readonly agent?: string
}

/** Creates an error of a plan. `fix` defaults to the general remedy of the error code. */
export function planError(
  code: ErrorCode,
  message: string,
  rest: Omit<PlanProblem, 'severity' | 'code' | 'message'> = {},
): PlanProblem {
  return { severity: 'error', code, message, fix: failure(code, message).remediation, ...rest }
}

/** Creates a warning of a plan. Takes the arguments of `planError`. */
export function planWarning(...problem: Parameters<typeof planError>): PlanProblem {
  return { ...planError(...problem), severity: 'warning' }
}

/**
 * Returns the end of a sentence about an unknown name: `; did you mean "…"?` if one of the candidates is close to
 * the name, else a full stop.
 */
export function suggestionText(name: string, candidates: Iterable<string>): string {
  const suggestion = closest(name, candidates)
  return suggestion === undefined ? '.' : `; did you mean "${suggestion}"?`
}

/** Converts a problem of the plan to a failure, with the location in its message. */
export function problemFailure(problem: {
  readonly code: Failure['code']
  readonly message: string
  readonly fix?: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
}): Failure {
  const { code, message, fix, file } = problem
  const location = [file, problem.line, problem.column].filter((part) => part !== undefined).join(':')
  const hasLocation = file === undefined || message.startsWith(file)
  return failure(code, hasLocation ? message : `${location}: ${message}`, fix)
}
