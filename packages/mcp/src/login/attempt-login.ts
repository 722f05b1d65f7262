import { randomBytes } from 'node:crypto'
import { createContainmentProbe } from '@troupe/process'
import { troupeError, type McpServerAuth, errorMessage, TroupeError } from '@troupe/schema'
import { openConnection } from '../connection/open-connection.ts'
import { toServerTarget, type HttpTarget } from '../target/server-target.ts'
import { createAuthorizationFetch } from '../http/guarded-fetch.ts'
import type { LogInOptions } from './log-in.ts'
import { openLoopbackCallback, type LoopbackCallback, type CallbackAnswer } from './loopback-callback.ts'
import type { LoginKey, SavedLogin } from '../auth/login-store.ts'
import {
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  auth,
  extractWWWAuthenticateParams,
  type FetchLike,
} from '@modelcontextprotocol/client'
import { joinScopes, loginRequiredError, type LoginSession } from '../auth/login-session.ts'

const LOGIN_TIMEOUT = 10 * 60 * 1000
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/** Runs the login that `logIn` documents. */
export async function attemptLogin(options: LogInOptions): Promise<{ readonly tools: number }> {
  const target = httpTarget(options)
  const key: LoginKey = { url: target.url.href, principal: options.principal }
  const saved = await options.store.read(key)
  const state = randomBytes(32).toString('base64url')
  const callback = await openCallback(options, state, saved)
  try {
    return await attempt({ options, target, key, state, saved, callback })
  } finally {
    await callback.close()
  }
}

interface LoginAttempt {
  readonly options: LogInOptions
  readonly target: HttpTarget
  readonly key: LoginKey
  readonly state: string
  readonly saved: SavedLogin | undefined
  readonly callback: LoopbackCallback
}

async function attempt({
  options,
  target,
  key,
  state,
  saved,
  callback,
}: LoginAttempt): Promise<{ readonly tools: number }> {
  const { server, config, store, clock, timeout = LOGIN_TIMEOUT } = options
  const { auth = {} } = config
  const { redirectUrl } = callback
  const session = createInteractiveSession({
    server,
    saved,
    attempt: (before) =>
      createLoginClient({ name: options.client.name, auth, redirectUrl, state, saved: before }),
    fetch: createAuthorizationFetch({ clock }),
    scope: auth.scope,
    show: (url) => options.show(url),
    answer: () => callback.answer(),
  })
  const connection = await openConnection(target, {
    client: options.client,
    clock,
    startTimeout: timeout,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    running: new Set(),
    containment: createContainmentProbe(),
    listener: { warn: () => undefined, listChanged: () => undefined },
    signal: options.signal ?? new AbortController().signal,
    session,
  })
  try {
    const tools = await connection.listTools()
    // Some servers list their tools without a login and require one only for calls.
    if (session.login().tokens === undefined) await session.logIn({ serverUrl: target.url })
    await store.write(key, session.login())
    return { tools: tools.length }
  } finally {
    await connection.close()
  }
}

/**
 * Opens the callback on the port of the previous login if it is free, because the client registration is
 * bound to that port.
 */
async function openCallback(
  { config }: LogInOptions,
  state: string,
  saved: SavedLogin | undefined,
): Promise<LoopbackCallback> {
  const port = config.auth?.redirectPort
  if (port !== undefined) return openLoopbackCallback({ state, port })
  const before = saved?.redirectUrl === undefined ? 0 : Number(new URL(saved.redirectUrl).port)
  return openLoopbackCallback({ state, port: before }).catch(() => openLoopbackCallback({ state }))
}

function httpTarget({ server, config }: LogInOptions): HttpTarget {
  const target = toServerTarget({ server, config, folder: '/', baseEnv: {} })
  if (target.kind === 'http' && target.transport !== 'websocket') return target
  const [what, key] = target.kind === 'http' ? ['uses a WebSocket', 'headers'] : ['runs as a process', 'env']
  throw troupeError('mcp_bad_config', `The MCP server "${server}" ${what} and has no login.`, {
    fix: `Only servers with an http or https \`url\` have logins. Pass the key of this one in \`${key}\`.`,
  })
}

/** One login attempt behind the SDK's provider interface. Holds its state in memory only. */
interface LoginClient {
  readonly provider: OAuthClientProvider
  /** Returns the address of the login page, or `undefined` if the SDK has not set it yet. */
  authorizationUrl(): URL | undefined
  /** Returns the state of the attempt. It has no tokens if the login has not succeeded. */
  login(): SavedLogin
}

/** Options of `createLoginClient`. */
interface LoginClientOptions {
  /** Client name shown on the page of the authorization server. */
  readonly name: string
  readonly auth: McpServerAuth
  readonly redirectUrl: string
  /** Unguessable value that proves that a callback belongs to this attempt. */
  readonly state: string
  /** Previous login. Its client registration is reused if the redirect URL is the same. */
  readonly saved: SavedLogin | undefined
}

function createLoginClient(options: LoginClientOptions): LoginClient {
  const { auth, redirectUrl, state } = options
  let client = knownClient(options)
  let tokens: StoredOAuthTokens | undefined
  let verifier = ''
  let discovery: OAuthDiscoveryState | undefined
  let authorizationUrl: URL | undefined
  const metadata = clientMetadata(options)
  return {
    authorizationUrl: () => authorizationUrl,
    login: () => ({
      redirectUrl,
      ...(client === undefined ? {} : { client }),
      ...(tokens === undefined ? {} : { tokens }),
    }),
    provider: {
      redirectUrl,
      clientMetadata: metadata,
      ...(auth.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: auth.clientMetadataUrl }),
      state: () => state,
      clientInformation: () => client,
      saveClientInformation: (information) => void (client = information),
      tokens: () => tokens,
      saveTokens: (given) => void (tokens = given),
      redirectToAuthorization: (url) => void (authorizationUrl = url),
      saveCodeVerifier: (text) => void (verifier = text),
      codeVerifier: () => verifier,
      saveDiscoveryState: (found) => void (discovery = found),
      discoveryState: () => discovery,
    },
  }
}

/**
 * Returns the configured client, or else the one registered by the previous login if the redirect URL is the
 * same.
 */
function knownClient({
  auth,
  saved,
  redirectUrl,
}: LoginClientOptions): StoredOAuthClientInformation | undefined {
  const { clientId, clientSecret } = auth
  if (clientId !== undefined)
    return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) }
  return saved?.redirectUrl === redirectUrl ? saved.client : undefined
}

function clientMetadata({ name, redirectUrl, auth }: LoginClientOptions): OAuthClientMetadata {
  return {
    client_name: name,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    ...(auth.scope === undefined ? {} : { scope: auth.scope }),
  }
}

/** Limit for servers that reject every login. */
const MAX_LOGINS = 3

/** Options of `createInteractiveSession`. */
interface InteractiveOptions {
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
interface InteractiveSession extends LoginSession {
  /** Logs in before the server has required it. Rejects with `mcp_auth_failed`. */
  logIn(request: { readonly serverUrl: URL }): Promise<void>
  /** Returns the current login. It has no tokens if no login has succeeded. */
  login(): SavedLogin
}

/** Creates a session without tokens. Saved tokens are ignored, so the person logs in again. */
function createInteractiveSession(options: InteractiveOptions): InteractiveSession {
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
