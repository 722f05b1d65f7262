import { auth, extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client'
import { errorMessage, TroupeError, troupeError } from '@troupe/schema'
import { joinScopes } from './join-scopes.ts'
import type { LoginClient } from './login-client.ts'
import type { LoginSession } from './login-session.ts'
import type { CallbackAnswer } from './loopback-callback.ts'
import { needsLogin } from './needs-login.ts'
import type { SavedLogin } from './saved-login.ts'

/** A server that accepts no login is not asked for ever. */
const MOST_LOGINS = 3

/** What a person's login needs. */
export interface InteractiveOptions {
  readonly server: string
  /** A new attempt, after what is known from the one before. */
  attempt(saved: SavedLogin | undefined): LoginClient
  readonly saved: SavedLogin | undefined
  /** For what goes to the authorization server. */
  readonly fetch: FetchLike
  /** What the definition asks for, in place of what the server names. */
  readonly scope?: string | undefined
  /** Tells the person where to go. */
  show(url: URL): void
  /** What the browser came back with. */
  answer(): Promise<CallbackAnswer>
}

/** A session that logs in when the server asks for it, with the help of a person. */
export interface InteractiveSession extends LoginSession {
  /** Logs in though nobody asked yet. Rejects with `mcp_auth_failed`. */
  logIn(request: { readonly serverUrl: URL }): Promise<void>
  /** What came of it; without tokens: nobody logged in. */
  login(): SavedLogin
}

/** A session without a login: whatever there was before, the person is asked anew. */
export function createInteractiveSession(options: InteractiveOptions): InteractiveSession {
  const { saved } = options
  let client = options.attempt(saved)
  let logins = 0
  let wanted =
    saved?.wantedScope === undefined ? undefined : joinScopes(saved.tokens?.scope, saved.wantedScope)

  async function logIn({ serverUrl, response }: LoginRequest): Promise<void> {
    // the login just made is refused: perhaps the server takes those of another issuer by now
    if (client.login().tokens !== undefined) client = options.attempt(client.login())
    logins += 1
    if (logins > MOST_LOGINS) throw needsLogin(options.server, 'expired')
    const challenge = response === undefined ? {} : extractWWWAuthenticateParams(response)
    const scope = options.scope ?? joinScopes(wanted, challenge.scope)
    const { resourceMetadataUrl } = challenge
    const request = {
      serverUrl,
      fetchFn: options.fetch,
      ...(scope === undefined ? {} : { scope }),
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    }
    try {
      await auth(client.provider, request)
      const { code, iss } = await sendPerson(client, options)
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
    wantScope: (scope) => Promise.resolve(void (wanted = joinScopes(wanted, scope))),
    secrets: () => [],
    login: () => client.login(),
  }
}

interface LoginRequest {
  readonly serverUrl: URL
  /** The refusal that says what is wanted. */
  readonly response?: Response
}

async function sendPerson(
  client: LoginClient,
  { server, show, answer }: InteractiveOptions,
): Promise<CallbackAnswer> {
  const url = client.authorizationUrl()
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw troupeError('mcp_auth_failed', `The MCP server "${server}" names no page to log in at.`)
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
