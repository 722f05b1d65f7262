import { LOCAL_PRINCIPAL, publicFailure, toFailure, type Failure } from '@troupe/schema'
import type { Caller } from './caller.ts'

/**
 * Converts a thrown value to a failure for the caller: unchanged for the operator, without private details
 * for others.
 */
export function failureFor(caller: Pick<Caller, 'principal'> | undefined, thrown: unknown): Failure {
  const reason = toFailure(thrown)
  return caller?.principal === LOCAL_PRINCIPAL ? reason : publicFailure(reason)
}
