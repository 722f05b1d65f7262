import { auth, extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client'
import { errorMessage, TroupeError, troupeError } from '@troupe/schema'
import { joinScopes, loginRequiredError, type LoginSession } from '../auth/login-session.ts'
import type { LoginClient } from './login-client.ts'
import type { CallbackAnswer } from './loopback-callback.ts'
import type { SavedLogin } from '../auth/saved-login.ts'

/** Limit for servers that reject every login. */
const MAX_LOGINS = 3

/** Options of `createInteractiveSession`. */
export interface InteractiveOptions {
  readonly server: string
  /** Creates a login attempt that may reuse the client registration of the previous one. */
  attempt(saved: SavedLogin | undefined): LoginClient
  readonly saved: SavedLogin | undefined
  /** Fetch for requests to the authorization server. */
  readonly fetch: FetchLike
  /** Scope from the server definition. Overrides the scope that the server requests. */
  readonly scope?: string | undefined
  /** Shows the person the address of the login page. */
  show(url: URL): void
  /** Waits for the redirect to the callback address. */
  answer(): Promise<CallbackAnswer>
}

/** A session that logs in with the help of a person when the server requires it. */
export interface InteractiveSession extends LoginSession {
  /** Logs in before the server has required it. Rejects with `mcp_auth_failed`. */
  logIn(request: { readonly serverUrl: URL }): Promise<void>
  /** Returns the current login. It has no tokens if no login has succeeded. */
  login(): SavedLogin
}

/** Creates a session without tokens. Saved tokens are ignored, so the person logs in again. */
export function createInteractiveSession(options: InteractiveOptions): InteractiveSession {
  const { saved } = options
  let client = options.attempt(saved)
  let logins = 0
  let pendingScope =
    saved?.wantedScope === undefined ? undefined : joinScopes(saved.tokens?.scope, saved.wantedScope)

  async function logIn({ serverUrl, response }: LoginRequest): Promise<void> {
    // the new login was refused: the server may have moved to another issuer
    if (client.login().tokens !== undefined) client = options.attempt(client.login())
    logins += 1
    if (logins > MAX_LOGINS) throw loginRequiredError(options.server, 'expired')
    const challenge = response === undefined ? {} : extractWWWAuthenticateParams(response)
    const scope = options.scope ?? joinScopes(pendingScope, challenge.scope)
    const { resourceMetadataUrl } = challenge
    const request = {
      serverUrl,
      fetchFn: options.fetch,
      ...(scope === undefined ? {} : { scope }),
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    }
    try {
      await auth(client.provider, request)
      const { code, iss } = await requestAuthorizationCode(client, options)
      await auth(client.provider, {
        ...request,
        authorizationCode: code,
        ...(iss === undefined ? {} : { iss }),
      })
    } catch (thrown) {
      throw loginError(thrown, options.server)
    }
  }

  return {
    token: () => Promise.resolve(client.login().tokens?.access_token),
    onUnauthorized: logIn,
    logIn,
    addRequiredScope: (scope) => Promise.resolve(void (pendingScope = joinScopes(pendingScope, scope))),
    secrets: () => [],
    login: () => client.login(),
  }
}

interface LoginRequest {
  readonly serverUrl: URL
  /** The 401 response with the server's challenge. */
  readonly response?: Response
}

async function requestAuthorizationCode(
  client: LoginClient,
  { server, show, answer }: InteractiveOptions,
): Promise<CallbackAnswer> {
  const url = client.authorizationUrl()
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw troupeError('mcp_auth_failed', `The MCP server "${server}" did not provide a login page.`)
  show(url)
  return answer()
}

function loginError(thrown: unknown, server: string): TroupeError {
  if (TroupeError.isInstance(thrown)) return thrown
  return troupeError(
    'mcp_auth_failed',
    `The login to the MCP server "${server}" failed: ${errorMessage(thrown)}`,
    {
      cause: thrown,
    },
  )
}
