import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { onTestFinished, vi } from 'vitest'

/** The resource for which tokens are requested by default. */
export const AUDIENCE = 'https://agents.example.com'
const SECRET = 'the-secret-of-the-clients'

/** An OpenID provider on loopback, with one client for each name that asks for a token. */
export interface IdentityProvider {
  readonly issuer: string
  /** Requests so far, such as `GET /jwks`. */
  readonly requests: readonly string[]
  /** Requests an access token for a client with these roles. */
  token(request?: TokenRequest): Promise<string>
  /** Signs a token with the current key, or with another one under the same id. */
  sign(claims: JWTPayload, options?: SignOptions): Promise<string>
  /** The current public key. */
  publicKey(): JWK
  /** Replaces the keys, as a provider does from time to time. */
  rotateKeys(): Promise<void>
  /** Answers every request with this status until it is called without one. */
  fail(status?: number): void
}

export interface TokenRequest {
  readonly name?: keyof typeof ROLES
  readonly resource?: string
  readonly scope?: string
}

export interface SignOptions {
  readonly key?: CryptoKey
  readonly alg?: string
  readonly typ?: string
}

/** The clients of the provider, with the value of the claim `roles` in their tokens. */
const ROLES = {
  ada: ['troupe-admins'],
  ben: ['staff'],
  vic: ['guests'],
  none: undefined,
} as const

interface SigningKey {
  readonly privateKey: CryptoKey
  readonly publicKey: JWK
  readonly jwk: JWK
}

/** Starts a provider that stops at the end of the test. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const requests: string[] = []
  let status: number | undefined
  let listener: RequestListener = () => undefined
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`)
    if (status === undefined) return listener(request, response)
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let count = 0
  let current = await createKey('key-0')
  const serveKeys = (): void => {
    // it warns about features that are only meant for development
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    listener = new Provider(issuer, configuration(current.jwk)).callback()
    warn.mockRestore()
  }
  serveKeys()
  return {
    issuer,
    requests,
    publicKey: () => current.publicKey,
    async token({ name = 'ben', resource = AUDIENCE, scope = '' } = {}) {
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: name,
        client_secret: SECRET,
        resource,
        ...(scope === '' ? {} : { scope }),
      })
      const response = await fetch(`${issuer}/token`, { method: 'POST', body })
      const { access_token: token } = (await response.json()) as { readonly access_token?: string }
      if (token === undefined) throw new TypeError(`no token: ${response.status}`)
      return token
    },
    sign(claims, { key = current.privateKey, alg = 'ES256', typ } = {}) {
      const { kid = '' } = current.publicKey
      return new SignJWT(claims)
        .setProtectedHeader({ alg, kid, ...(typ === undefined ? {} : { typ }) })
        .sign(key)
    },
    async rotateKeys() {
      current = await createKey(`key-${(count += 1)}`)
      serveKeys()
    },
    fail(next) {
      status = next
    },
  }
}

async function createKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const fields = { kid, alg: 'ES256', use: 'sig' }
  return {
    privateKey,
    publicKey: { ...(await exportJWK(publicKey)), ...fields },
    jwk: { ...(await exportJWK(privateKey)), ...fields },
  }
}

function configuration(key: JWK): object {
  return {
    jwks: { keys: [key] },
    clients: Object.keys(ROLES).map((name) => ({
      client_id: name,
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_post',
    })),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['openid', 'troupe'],
    ttl: { AccessToken: 300, ClientCredentials: 300, Grant: 300, Interaction: 300, Session: 300 },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
    cookies: { keys: ['the-key-of-the-cookies'] },
    extraTokenClaims: (_context: unknown, { clientId }: { readonly clientId: keyof typeof ROLES }) => ({
      ...(ROLES[clientId] === undefined ? {} : { roles: ROLES[clientId] }),
      tenant: clientId === 'ben' ? 'acme' : 'other',
    }),
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => AUDIENCE,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          scope: 'troupe',
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 300,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  }
}
