import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/u

/** A server that requires a login, and its authorization server, on one loopback port. */
export interface ProtectedServer {
  /** URL of the resource, for example `http://127.0.0.1:4000/mcp`. */
  readonly url: string
  /** All requests so far, for example `POST /token`. */
  readonly requests: readonly string[]
  /** Errors of rejected requests. Empty if the client behaves correctly. */
  readonly faults: readonly string[]
  /**
   * Headers of requests to the authorization server, to check that none of them is meant for the resource.
   */
  readonly loginHeaders: readonly Readonly<Record<string, unknown>>[]
  readonly tokens: Pick<IssuedTokens, 'expire' | 'revoke'>
  /** Makes the resource require an additional scope from now on. */
  require(scope: string): void
  stop(): Promise<void>
}

/** Options of `startProtectedServer`. */
export interface ProtectedServerOptions {
  /** Handles requests to the resource with a valid token. */
  answer(request: IncomingMessage, response: ServerResponse): unknown
  /** Redirect URIs of preregistered clients, by client id. */
  readonly clients?: Readonly<Record<string, string>>
}

/**
 * Starts both servers. They are as strict as the specifications: PKCE with S256, exact redirect URIs,
 * single-use codes and refresh tokens, a resource indicator with both the code and the token, and tokens
 * bound to the resource.
 */
export async function startProtectedServer(options: ProtectedServerOptions): Promise<ProtectedServer> {
  const state = createState(options)
  const server = createServer((request, response) => {
    handle(request, response, state).catch((thrown: unknown) => {
      state.faults.push(String(thrown))
      response.writeHead(500).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  state.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { requests, faults, tokens, loginHeaders } = state
  return {
    requests,
    faults,
    tokens,
    loginHeaders,
    url: resourceOf(state),
    require: (scope) => void state.scopes.add(scope),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface State {
  origin: string
  readonly answer: ProtectedServerOptions['answer']
  readonly scopes: Set<string>
  readonly clients: Map<string, string>
  readonly codes: ReturnType<typeof createAuthorizationCodes>
  readonly tokens: IssuedTokens
  readonly requests: string[]
  readonly faults: string[]
  readonly loginHeaders: Readonly<Record<string, unknown>>[]
}

function createState({ answer, clients = {} }: ProtectedServerOptions): State {
  return {
    origin: '',
    answer,
    scopes: new Set(['tools']),
    clients: new Map(Object.entries(clients)),
    codes: createAuthorizationCodes(),
    tokens: createIssuedTokens(),
    requests: [],
    faults: [],
    loginHeaders: [],
  }
}

function resourceOf({ origin }: State): string {
  return `${origin}/mcp`
}

async function handle(request: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  const url = new URL(request.url ?? '/', state.origin)
  state.requests.push(`${request.method} ${url.pathname}`)
  if (url.pathname === '/mcp') return handleResource(request, response, state)
  state.loginHeaders.push({ ...request.headers })
  if (url.pathname === '/.well-known/oauth-protected-resource/mcp')
    return json(response, resourceMetadata(state))
  if (url.pathname === '/.well-known/oauth-authorization-server') return json(response, issuerMetadata(state))
  if (url.pathname === '/register') return register(await body(request), response, state)
  if (url.pathname === '/authorize') return authorize(url.searchParams, response, state)
  if (url.pathname === '/token') return token(new URLSearchParams(await body(request)), response, state)
  response.writeHead(404).end()
}

async function handleResource(
  request: IncomingMessage,
  response: ServerResponse,
  state: State,
): Promise<void> {
  const [scheme, value = ''] = (request.headers.authorization ?? '').split(' ')
  const rights = scheme === 'Bearer' ? state.tokens.rightsOf(value) : undefined
  const metadata = `resource_metadata="${state.origin}/.well-known/oauth-protected-resource/mcp"`
  const scope = `scope="${[...state.scopes].join(' ')}"`
  if (rights === undefined || rights.resource !== resourceOf(state))
    return refuse(response, 401, `Bearer error="invalid_token", ${scope}, ${metadata}`)
  const granted = new Set(rights.scope.split(' '))
  if (![...state.scopes].every((each) => granted.has(each)))
    return refuse(response, 403, `Bearer error="insufficient_scope", ${scope}, ${metadata}`)
  await state.answer(request, response)
}

function resourceMetadata(state: State): unknown {
  return { resource: resourceOf(state), authorization_servers: [state.origin], scopes_supported: ['tools'] }
}

function issuerMetadata({ origin }: State): unknown {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  }
}

function register(text: string, response: ServerResponse, state: State): void {
  const { redirect_uris: uris } = JSON.parse(text) as { readonly redirect_uris?: readonly string[] }
  const [redirectUri] = uris ?? []
  if (redirectUri === undefined || !redirectUri.startsWith('http://127.0.0.1:'))
    return fault(response, state, 'invalid_redirect_uri')
  const clientId = randomUUID()
  state.clients.set(clientId, redirectUri)
  json(
    response,
    { client_id: clientId, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
    201,
  )
}

/** Authorizes every valid request without asking. */
function authorize(params: URLSearchParams, response: ServerResponse, state: State): void {
  const read = (name: string): string => params.get(name) ?? ''
  const clientId = read('client_id')
  const redirectUri = read('redirect_uri')
  const challenge = read('code_challenge')
  const resource = read('resource')
  if (state.clients.get(clientId) !== redirectUri) return fault(response, state, 'unknown client or address')
  if (read('response_type') !== 'code') return fault(response, state, 'unsupported_response_type')
  if (read('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    return fault(response, state, 'no PKCE with S256')
  if (resource !== resourceOf(state)) return fault(response, state, 'invalid_target')
  if (read('state') === '') return fault(response, state, 'no state')
  const back = new URL(redirectUri)
  const grant = { clientId, redirectUri, challenge, resource, scope: read('scope') }
  back.searchParams.set('code', state.codes.issue(grant))
  back.searchParams.set('state', read('state'))
  back.searchParams.set('iss', state.origin)
  response.writeHead(302, { location: back.href }).end()
}

function token(form: URLSearchParams, response: ServerResponse, state: State): void {
  if (form.get('resource') !== resourceOf(state)) return fault(response, state, 'invalid_target')
  if (form.get('grant_type') === 'refresh_token') {
    const answer = state.tokens.refresh(form.get('refresh_token') ?? '')
    return answer === undefined ? fault(response, state, 'invalid_grant') : json(response, answer)
  }
  const grant = state.codes.redeem(form.get('code') ?? '')
  if (
    grant === undefined ||
    grant.clientId !== form.get('client_id') ||
    grant.redirectUri !== form.get('redirect_uri')
  )
    return fault(response, state, 'invalid_grant')
  if (!provesChallenge(form.get('code_verifier') ?? '', grant.challenge))
    return fault(response, state, 'invalid_grant')
  json(response, state.tokens.issue(grant))
}

function fault(response: ServerResponse, state: State, error: string): void {
  state.faults.push(error)
  json(response, { error }, 400)
}

function refuse(response: ServerResponse, status: number, challenge: string): void {
  response.writeHead(status, { 'www-authenticate': challenge }).end()
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(value))
}

async function body(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

/** Parameters that an authorization code is bound to. Some of them must be repeated to redeem it. */
interface Grant {
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
  readonly scope: string
}

/** Single-use codes of an authorization server. */
interface AuthorizationCodes {
  issue(grant: Grant): string
  /** Returns `undefined` if the code is unknown or was used. */
  redeem(code: string): Grant | undefined
}

function createAuthorizationCodes(): AuthorizationCodes {
  const grants = new Map<string, Grant>()
  return {
    issue(grant) {
      const code = randomBytes(16).toString('hex')
      grants.set(code, grant)
      return code
    },
    redeem(code) {
      const grant = grants.get(code)
      grants.delete(code)
      return grant
    },
  }
}

/** Returns true if the challenge was derived from the verifier (RFC 7636, S256). */
function provesChallenge(verifier: string, challenge: string): boolean {
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}

/** Rights of a token. */
interface TokenRights {
  readonly clientId: string
  readonly resource: string
  readonly scope: string
}

/** Response of a token endpoint. */
interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope: string
}

/** Tokens of an authorization server. A refresh token can be used once; using it again revokes all tokens. */
interface IssuedTokens {
  issue(rights: TokenRights): TokenAnswer
  /** Returns `undefined` if the token is unknown or was used. */
  refresh(token: string): TokenAnswer | undefined
  /** Returns `undefined` if the access token is unknown, expired or revoked. */
  rightsOf(accessToken: string): TokenRights | undefined
  /** Expires all access tokens. Refresh tokens remain valid. */
  expire(): void
  /** Revokes all tokens. */
  revoke(): void
}

function createIssuedTokens(): IssuedTokens {
  const access = new Map<string, TokenRights>()
  const refresh = new Map<string, TokenRights>()
  const used = new Set<string>()

  function issue(rights: TokenRights): TokenAnswer {
    const accessToken = `access-${randomBytes(16).toString('hex')}`
    const refreshToken = `refresh-${randomBytes(16).toString('hex')}`
    access.set(accessToken, rights)
    refresh.set(refreshToken, rights)
    const { scope } = rights
    return {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      expires_in: 3600,
      scope,
    }
  }

  function revoke(): void {
    access.clear()
    refresh.clear()
  }

  return {
    issue,
    refresh(token) {
      if (used.has(token)) revoke()
      const rights = refresh.get(token)
      refresh.delete(token)
      used.add(token)
      return rights === undefined ? undefined : issue(rights)
    },
    rightsOf: (token) => access.get(token),
    expire: () => access.clear(),
    revoke,
  }
}
