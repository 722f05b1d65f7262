import { extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client'
import type { LoginSession } from './login-session.ts'

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
