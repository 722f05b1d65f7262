import type { Clock } from '@troupe/schema'
import type { FetchLike, StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { ServerTarget } from '../target/server-target.ts'
import { createAuthorizationFetch } from '../http/guarded-fetch.ts'
import { joinScopes, loginRequiredError, type LoginSession } from './login-session.ts'
import type { LoginKey, LoginStore, SavedLogin } from './login-store.ts'

/**
 * Returns the session for a connection. `undefined` without a login store, for stdio servers, and for servers
 * with a configured `Authorization` header.
 */
export function savedSessionFor(
  target: ServerTarget,
  options: { readonly logins?: LoginStore; readonly principal: string; readonly clock: Clock },
): LoginSession | undefined {
  const { logins, principal, clock } = options
  if (logins === undefined || target.kind !== 'http' || target.transport === 'websocket') return undefined
  if (new Headers(target.headers).has('authorization')) return undefined
  return createSavedSession({
    server: target.server,
    key: { url: target.url.href, principal },
    store: logins,
    fetch: createAuthorizationFetch({ clock }),
  })
}

/**
 * Creates a session that uses and refreshes a stored login. It never starts a login, but rejects with
 * `mcp_needs_auth` if one is needed. Every request reads the store, so that a login or refresh by another
 * process takes effect at once.
 */
function createSavedSession(options: {
  readonly server: string
  readonly key: LoginKey
  readonly store: LoginStore
  /** Fetch for requests to the authorization server. */
  readonly fetch: FetchLike
}): LoginSession {
  const { server, key, store, fetch } = options
  const shown = new Set<string>()
  let sent: string | undefined
  let renewing: Promise<void> | undefined

  async function renew({ response, serverUrl }: UnauthorizedResponse): Promise<void> {
    const saved = await store.read(key)
    const { tokens } = saved ?? {}
    if (saved === undefined || tokens === undefined) throw loginRequiredError(server, 'none')
    if (tokens.access_token !== sent) return
    if (tokens.refresh_token === undefined) throw loginRequiredError(server, 'expired')
    const { refreshLogin } = await import('./refresh-login.ts')
    const fresh = await refreshLogin(saved, { server, response, serverUrl, fetch })
    await store.write(key, { ...saved, tokens: withRefreshToken(fresh, tokens) })
  }

  return {
    async token() {
      const { tokens } = (await store.read(key)) ?? {}
      for (const secret of secretsOf(tokens)) shown.add(secret)
      sent = tokens?.access_token
      return sent
    },
    onUnauthorized: (context) => (renewing ??= renew(context).finally(() => (renewing = undefined))),
    async addRequiredScope(scope) {
      const saved: SavedLogin = (await store.read(key)) ?? {}
      const wantedScope = joinScopes(saved.wantedScope, scope)
      await store.write(key, { ...saved, ...(wantedScope === undefined ? {} : { wantedScope }) })
    },
    secrets: () => [...shown],
  }
}

/** A 401 response and the server that sent it. */
interface UnauthorizedResponse {
  readonly response: Response
  readonly serverUrl: URL
}

/** Keeps the old refresh token if the response has none: some authorization servers do not rotate it. */
function withRefreshToken(fresh: StoredOAuthTokens, before: StoredOAuthTokens): StoredOAuthTokens {
  const { refresh_token: kept, issuer, scope } = before
  return {
    ...(kept === undefined ? {} : { refresh_token: kept }),
    ...(scope === undefined ? {} : { scope }),
    ...fresh,
    ...(issuer === undefined ? {} : { issuer }),
  }
}

function secretsOf(tokens: StoredOAuthTokens | undefined): readonly string[] {
  const { access_token: access, refresh_token: refresh } = tokens ?? {}
  return [access, refresh].filter((secret) => secret !== undefined)
}
