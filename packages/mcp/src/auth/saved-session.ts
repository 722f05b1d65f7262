import type { FetchLike, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { joinScopes } from './join-scopes.ts'
import type { LoginSession } from './login-session.ts'
import { needsLogin } from './needs-login.ts'
import type { LoginKey, LoginStore, SavedLogin } from './saved-login.ts'

/**
 * Uses the login that a person made before, and renews it. It never starts one: what needs a person is `mcp_needs_auth`. The store is
 * read for every request, so a login made meanwhile, or renewed by another process, counts at once.
 */
export function createSavedSession(options: {
  readonly server: string
  readonly key: LoginKey
  readonly store: LoginStore
  /** For what goes to the authorization server. */
  readonly fetch: FetchLike
}): LoginSession {
  const { server, key, store, fetch } = options
  const shown = new Set<string>()
  let sent: string | undefined
  let renewing: Promise<void> | undefined

  async function renew({ response, serverUrl }: Refusal): Promise<void> {
    const saved = await store.read(key)
    const { tokens } = saved ?? {}
    if (saved === undefined || tokens === undefined) throw needsLogin(server, 'none')
    if (tokens.access_token !== sent) return
    if (tokens.refresh_token === undefined) throw needsLogin(server, 'expired')
    const { refreshLogin } = await import('./refresh-login.ts')
    const fresh = await refreshLogin(saved, { server, response, serverUrl, fetch })
    await store.write(key, { ...saved, tokens: keepingRefresh(fresh, tokens) })
  }

  return {
    async token() {
      const { tokens } = (await store.read(key)) ?? {}
      for (const secret of secretsOf(tokens)) shown.add(secret)
      sent = tokens?.access_token
      return sent
    },
    onUnauthorized: (context) => (renewing ??= renew(context).finally(() => (renewing = undefined))),
    async wantScope(scope) {
      const saved: SavedLogin = (await store.read(key)) ?? {}
      const wantedScope = joinScopes(saved.wantedScope, scope)
      await store.write(key, { ...saved, ...(wantedScope === undefined ? {} : { wantedScope }) })
    },
    secrets: () => [...shown],
  }
}

/** The answer of a server that does not accept what it was sent. */
interface Refusal {
  readonly response: Response
  readonly serverUrl: URL
}

/** Some authorization servers answer with a new refresh token, others mean that the old one stays good. */
function keepingRefresh(fresh: StoredOAuthTokens, before: StoredOAuthTokens): StoredOAuthTokens {
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
