import { failure, type ErrorCode } from '@troupe/schema'
import type { PlanProblem } from './plan-types.ts'

/** An error of a plan. What to do about it is the general remedy of its code where none is given. */
export function planError(
  code: ErrorCode,
  message: string,
  rest: Omit<PlanProblem, 'severity' | 'code' | 'message'> = {},
): PlanProblem {
  return { severity: 'error', code, message, fix: failure(code, message).remediation, ...rest }
}

/** The same as a warning. */
export function planWarning(...problem: Parameters<typeof planError>): PlanProblem {
  return { ...planError(...problem), severity: 'warning' }
}
