import type { Failure } from '@troupe/schema'

/** Tells a failure from whatever else a step gives; nothing else has both a code and a remedy. */
export function isFailure(value: object): value is Failure {
  return 'code' in value && 'remediation' in value
}
