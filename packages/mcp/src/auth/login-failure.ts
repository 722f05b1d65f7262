import {
  InsufficientScopeError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { TroupeError } from '@troupe/schema'
import { needsLogin } from './needs-login.ts'

const MOST_CAUSES = 5

/** Returns the login failure among the causes of an SDK error, or `undefined` if there is none. */
export function loginFailure(thrown: unknown, server: string): TroupeError | undefined {
  let error = thrown
  for (let depth = 0; depth < MOST_CAUSES; depth += 1) {
    if (TroupeError.isInstance(error) && error.failure.class === 'auth') return error
    if (InsufficientScopeError.isInstance(error)) return needsLogin(server, 'scope', error)
    if (SdkHttpError.isInstance(error) && error.code === SdkErrorCode.ClientHttpAuthentication)
      return needsLogin(server, 'expired', error)
    if (UnauthorizedError.isInstance(error)) return needsLogin(server, 'none', error)
    error = error instanceof Error ? error.cause : undefined
  }
  return undefined
}
