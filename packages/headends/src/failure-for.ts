import { LOCAL_PRINCIPAL, publicFailure, toFailure, type Failure } from '@troupe/schema'
import type { Caller } from './caller.ts'

/** Returns what was thrown as a failure that the caller may read: as it is for the operator, else without what only the operator may learn. */
export function failureFor(caller: Pick<Caller, 'principal'> | undefined, thrown: unknown): Failure {
  const reason = toFailure(thrown)
  return caller?.principal === LOCAL_PRINCIPAL ? reason : publicFailure(reason)
}
