import type { Clock } from '@troupe/schema'
import type { ServerTarget } from '../pool/server-target.ts'
import { createAuthorizationFetch } from './authorization-fetch.ts'
import type { LoginSession } from './login-session.ts'
import { createSavedSession } from './saved-session.ts'
import type { LoginStore } from './saved-login.ts'

/**
 * Returns the session for a connection. `undefined` without a login store, for stdio servers, and for servers
 * with a configured `Authorization` header.
 */
export function savedSessionFor(
  target: ServerTarget,
  options: { readonly logins?: LoginStore; readonly principal: string; readonly clock: Clock },
): LoginSession | undefined {
  const { logins, principal, clock } = options
  if (logins === undefined || target.kind !== 'http' || new Headers(target.headers).has('authorization'))
    return undefined
  return createSavedSession({
    server: target.server,
    key: { url: target.url.href, principal },
    store: logins,
    fetch: createAuthorizationFetch({ clock }),
  })
}
