import {
  InsufficientScopeError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { TroupeError } from '@troupe/schema'
import { loginRequiredError } from './login-required-error.ts'

const MAX_CAUSES = 5

/** Returns the login failure among the causes of an SDK error, or `undefined` if there is none. */
export function loginFailure(thrown: unknown, server: string): TroupeError | undefined {
  let error = thrown
  for (let depth = 0; depth < MAX_CAUSES; depth += 1) {
    if (TroupeError.isInstance(error) && error.failure.class === 'auth') return error
    if (InsufficientScopeError.isInstance(error)) return loginRequiredError(server, 'scope', error)
    if (SdkHttpError.isInstance(error) && error.code === SdkErrorCode.ClientHttpAuthentication)
      return loginRequiredError(server, 'expired', error)
    if (UnauthorizedError.isInstance(error)) return loginRequiredError(server, 'none', error)
    error = error instanceof Error ? error.cause : undefined
  }
  return undefined
}
