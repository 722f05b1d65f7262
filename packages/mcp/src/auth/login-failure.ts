import {
  extractWWWAuthenticateParams,
  InsufficientScopeError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  type FetchLike,
} from '@modelcontextprotocol/client'
import { TroupeError } from '@troupe/schema'
import { loginRequiredError, type LoginSession } from './login-session.ts'

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

/** Wraps a fetch to record in the session which additional scope the server requires. */
export function createScopeFetch(fetch: FetchLike, session: LoginSession): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.status !== 403) return response
    const { error, scope } = extractWWWAuthenticateParams(response)
    if (error === 'insufficient_scope' && scope !== undefined) await session.addRequiredScope(scope)
    return response
  }
}
