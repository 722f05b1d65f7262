import type { Failure } from '@troupe/schema'

/** Returns true for a failure. No other result has both a code and a remediation. */
export function isFailure(value: object): value is Failure {
  return 'code' in value && 'remediation' in value
}
