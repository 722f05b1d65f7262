import { failure, type ErrorCode } from '@troupe/schema'
import type { PlanProblem } from './plan-types.ts'

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
