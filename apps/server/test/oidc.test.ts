import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { generateKeyPair, UnsecuredJWT, type JWTPayload } from 'jose'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { OidcOptions } from '../src/index.ts'
import { AUDIENCE, startIdentityProvider, type IdentityProvider } from './support/identity-provider.ts'
import { PARROT, serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'

const MINUTE = 60_000

interface Answer {
  readonly status: number
  readonly body: { readonly error?: { readonly code: string; readonly message: string } } & Record<
    string,
    unknown
  >
  readonly challenge: string | null
}

/** A server that accepts the tokens of a provider, and whose clock can be moved. */
interface OidcTeam extends ServedTeam {
  readonly provider: IdentityProvider
  readonly ask: (path: string, token?: string, body?: unknown) => Promise<Answer>
  /** Adds to the clock of the server, in ms. */
  readonly moveClock: (ms: number) => void
}

async function serveWithOidc(
  options: Partial<OidcOptions> = {},
  team: Partial<TeamToServe> = {},
): Promise<OidcTeam> {
  const provider = await startIdentityProvider()
  let offset = 0
  const served = await serveTeam({
    cards: [PARROT],
    clock: {
      ...SYSTEM_CLOCK,
      now: () => SYSTEM_CLOCK.now() + offset,
      monotonic: () => SYSTEM_CLOCK.monotonic() + offset,
    },
    oidc: { issuer: provider.issuer, audience: AUDIENCE, allowPrivate: true, ...options },
    ...team,
  })
  return {
    ...served,
    provider,
    moveClock: (ms) => void (offset += ms),
    async ask(path, token, body) {
      const response = await fetch(`${served.url}${path}`, {
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return {
        status: response.status,
        body: text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : { text },
        challenge: response.headers.get('www-authenticate'),
      }
    },
  }
}

const ADMINS = {
  claims: { role: 'roles' },
  roles: { operator: ['troupe-admins'], viewer: ['guests'] },
} as const

/** Returns valid claims with some changed; `undefined` leaves one out. */
function claimsOf({ provider }: OidcTeam, changed: Readonly<Record<string, unknown>> = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000)
  return { iss: provider.issuer, aud: AUDIENCE, sub: 'eve', exp: now + 60, ...changed }
}

describe('tokens of an identity provider', () => {
  it('a token of the provider is accepted by every protocol, beside the tokens of the configuration', async () => {
    const team = await serveWithOidc({}, { tokens: [{ token: 'token-of-ada-0001', principal: 'ada' }] })
    const token = await team.provider.token()
    expect((await team.ask('/v1/Parrot', token, { q: 'Hi' })).status).toBe(200)
    expect((await team.ask('/v1/Parrot', 'token-of-ada-0001', { q: 'Hi' })).status).toBe(200)
    for (const path of [
      '/api/runs',
      '/openai/v1/models',
      '/anthropic/v1/models',
      '/openapi.json',
      '/metrics',
    ])
      expect([path, (await team.ask(path, token)).status]).toEqual([path, 200])
    await expect
      .poll(() => new Set(team.records.map(({ principal }) => principal)))
      .toEqual(new Set([`${team.provider.issuer}#ben`, 'ada']))
  })

  it('without a token, no caller is the operator', async () => {
    const { ask } = await serveWithOidc()
    expect(await ask('/api/runs')).toMatchObject({ status: 401, body: { error: { code: 'token_required' } } })
    expect((await ask('/healthz')).status).toBe(200)
  })

  it('a token opens a WebSocket connection, and a wrong one does not', async () => {
    const { url, provider } = await serveWithOidc()
    const open = (token: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${url.replace('http', 'ws')}/mcp/ws`, ['mcp'], {
          headers: { authorization: `Bearer ${token}` },
        })
        socket.on('open', () => {
          socket.close()
          resolve('open')
        })
        socket.on('error', ({ message }) => resolve(message))
      })
    const token = await provider.token()
    expect(await open(token)).toBe('open')
    expect(await open(`${token.slice(0, -4)}AAAA`)).toContain('401')
  })

  it('a token signs in to the web page', async () => {
    const { url, provider } = await serveWithOidc()
    const signIn = async (token: string): Promise<Response> =>
      fetch(`${url}/api/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      })
    const response = await signIn(await provider.token())
    expect(response.status).toBe(204)
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
    expect((await fetch(`${url}/api/runs`, { headers: { cookie } })).status).toBe(200)
    expect((await signIn('e30.e30.e30')).status).toBe(401)
  })

  it('a principal of the provider never is one of the configuration', async () => {
    const team = await serveWithOidc()
    const token = await team.provider.sign(claimsOf(team, { sub: 'local' }))
    expect((await team.ask('/v1/Parrot', token, { q: 'Hi' })).status).toBe(200)
    expect(await team.ask('/api/runs/none/prompts', token)).toMatchObject({
      status: 403,
      body: { error: { code: 'card_read_only' } },
    })
    await expect.poll(() => team.records[0]?.principal).toBe(`${team.provider.issuer}#local`)
  })
})

describe('rejected tokens', () => {
  type Case = readonly [string, (team: OidcTeam) => Promise<string>, string]

  const cases: readonly Case[] = [
    [
      'of another issuer',
      (team) => team.provider.sign(claimsOf(team, { iss: 'https://login.example.com' })),
      'The token has another "iss".',
    ],
    [
      'whose issuer only differs by a slash',
      (team) => team.provider.sign(claimsOf(team, { iss: `${team.provider.issuer}/` })),
      'The token has another "iss".',
    ],
    [
      'for another audience',
      ({ provider }) => provider.token({ resource: 'https://other.example.com' }),
      'The token has another "aud".',
    ],
    ['without an audience', (team) => team.provider.sign(claimsOf(team, { aud: undefined })), '"aud"'],
    [
      'without a signature',
      async (team) => new UnsecuredJWT(claimsOf(team)).encode(),
      'The token is not valid.',
    ],
    [
      'signed with the public key as a secret (HS256)',
      async (team) => {
        const secret = new TextEncoder().encode(JSON.stringify(team.provider.publicKey()))
        return team.provider.sign(claimsOf(team), { alg: 'HS256', key: secret as never })
      },
      'The token is not valid.',
    ],
    [
      'signed with another key under the id of a known one',
      async (team) =>
        team.provider.sign(claimsOf(team), { key: (await generateKeyPair('ES256')).privateKey }),
      'The token is not valid.',
    ],
    [
      'that has expired',
      (team) => team.provider.sign(claimsOf(team, { exp: Math.floor(Date.now() / 1000) - 60 })),
      'The token has expired.',
    ],
    [
      'that never expires',
      (team) => team.provider.sign(claimsOf(team, { exp: undefined })),
      'The token has no claim "exp".',
    ],
    [
      'that is not valid yet',
      (team) => team.provider.sign(claimsOf(team, { nbf: Math.floor(Date.now() / 1000) + 60 })),
      'The token is not valid yet.',
    ],
    [
      'without a subject',
      (team) => team.provider.sign(claimsOf(team, { sub: undefined })),
      'The token has no usable claim "sub".',
    ],
    [
      'with a line break in its subject',
      (team) => team.provider.sign(claimsOf(team, { sub: 'ada\nlocal' })),
      'The token has no usable claim "sub".',
    ],
    [
      'of another type',
      (team) => team.provider.sign(claimsOf(team), { typ: 'logout+jwt' }),
      'The token is not an access token.',
    ],
    [
      'that is bound to a key',
      (team) => team.provider.sign(claimsOf(team, { cnf: { jkt: 'x' } })),
      'The token is bound to a key (cnf).',
    ],
  ]

  it.each(cases)('a token %s is rejected with 401', async (_, create, message) => {
    const team = await serveWithOidc()
    const answer = await team.ask('/v1/Parrot', await create(team), { q: 'Hi' })
    expect(answer).toMatchObject({
      status: 401,
      body: { error: { code: 'token_required', message: expect.stringContaining(message) as string } },
      challenge: expect.stringContaining('Bearer error="invalid_token"') as string,
    })
    expect(await team.store.roots()).toEqual([])
  })

  it('a token with an algorithm that the configuration leaves out is rejected', async () => {
    const { ask, provider } = await serveWithOidc({ algorithms: ['RS256'] })
    expect((await ask('/api/runs', await provider.token())).status).toBe(401)
  })

  it('a token of the provider expires by the clock of the server, with half a minute of tolerance', async () => {
    const { ask, provider, moveClock } = await serveWithOidc()
    const token = await provider.token()
    moveClock(5 * MINUTE + 20_000)
    expect((await ask('/api/runs', token)).status).toBe(200)
    moveClock(20_000)
    expect(await ask('/api/runs', token)).toMatchObject({
      status: 401,
      body: { error: { message: 'The token has expired.' } },
    })
  })

  it('wrong tokens of the provider do not block their address', async () => {
    const team = await serveWithOidc()
    for (let count = 0; count < 12; count += 1)
      expect(
        (await team.ask('/api/runs', await team.provider.sign(claimsOf(team, { aud: `${count}` })))).status,
      ).toBe(401)
    expect((await team.ask('/api/runs', await team.provider.token())).status).toBe(200)
  })
})

describe('keys of the provider', () => {
  it('a rotated key is accepted and the old one rejected without a restart', async () => {
    const { ask, provider, moveClock } = await serveWithOidc()
    const old = await provider.token()
    expect((await ask('/api/runs', old)).status).toBe(200)
    await provider.rotateKeys()
    moveClock(31_000)
    expect((await ask('/api/runs', await provider.token())).status).toBe(200)
    expect((await ask('/api/runs', old)).status).toBe(401)
  })

  it('a key that the provider has removed is rejected after ten minutes', async () => {
    const team = await serveWithOidc()
    const old = await team.provider.sign(claimsOf(team, { exp: Math.floor(Date.now() / 1000) + 3600 }))
    expect((await team.ask('/api/runs', old)).status).toBe(200)
    await team.provider.rotateKeys()
    team.moveClock(9 * MINUTE)
    expect((await team.ask('/api/runs', old)).status).toBe(200)
    team.moveClock(2 * MINUTE)
    expect((await team.ask('/api/runs', old)).status).toBe(401)
  })

  it('unknown keys make the server load the keys at most twice a minute', async () => {
    const team = await serveWithOidc()
    const known = await team.provider.token()
    const other = await startIdentityProvider()
    await other.rotateKeys()
    const unknown = await other.sign(claimsOf(team))
    const loads = (): number => team.provider.requests.filter((request) => request === 'GET /jwks').length
    expect((await team.ask('/api/runs', known)).status).toBe(200)
    for (let count = 0; count < 5; count += 1) expect((await team.ask('/api/runs', unknown)).status).toBe(401)
    expect(loads()).toBe(1)
    team.moveClock(31_000)
    for (let count = 0; count < 5; count += 1) expect((await team.ask('/api/runs', unknown)).status).toBe(401)
    expect(loads()).toBe(2)
  })

  it('while the keys cannot be loaded, tokens get 503 and the reason is logged, until the provider is back', async () => {
    const { ask, provider, moveClock, errors } = await serveWithOidc()
    const token = await provider.token()
    provider.fail(500)
    const before = provider.requests.length
    for (let count = 0; count < 3; count += 1)
      expect(await ask('/api/runs', token)).toMatchObject({
        status: 503,
        body: { error: { code: 'identity_unavailable' } },
      })
    expect(provider.requests.length).toBe(before + 1)
    moveClock(6000)
    expect((await ask('/api/runs', token)).status).toBe(503)
    expect(provider.requests.length).toBe(before + 2)
    expect(errors.map(String)).toEqual([expect.stringContaining('responded with status 500')])
    provider.fail()
    moveClock(6000)
    expect((await ask('/api/runs', token)).status).toBe(200)
  })

  it('an issuer whose document has another name is reported with both names', async () => {
    const provider = await startIdentityProvider()
    const { url, errors } = await serveTeam({
      cards: [PARROT],
      oidc: { issuer: `${provider.issuer}/`, audience: AUDIENCE, allowPrivate: true },
    })
    const headers = { authorization: `Bearer ${await provider.token()}` }
    expect((await fetch(`${url}/api/runs`, { headers })).status).toBe(503)
    expect(errors.map(String)).toEqual([
      expect.stringContaining(`is "${provider.issuer}", not "${provider.issuer}/"`),
    ])
  })
})

describe('single-use tokens', () => {
  it('a repeated token is rejected with singleUse, also if both requests are sent at once', async () => {
    const { ask, provider } = await serveWithOidc({ singleUse: true })
    const token = await provider.token()
    const statuses = await Promise.all([ask('/api/runs', token), ask('/api/runs', token)])
    expect(statuses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
    expect(await ask('/api/runs', token)).toMatchObject({
      status: 401,
      body: { error: { message: 'The token was used before.' } },
    })
    expect((await ask('/api/runs', await provider.token())).status).toBe(200)
  })

  it('a token without an id is rejected with singleUse', async () => {
    const team = await serveWithOidc({ singleUse: true })
    expect(await team.ask('/api/runs', await team.provider.sign(claimsOf(team)))).toMatchObject({
      status: 401,
      body: { error: { message: 'The token has no claim "jti".' } },
    })
  })

  it('a token can be used many times without singleUse', async () => {
    const { ask, provider } = await serveWithOidc()
    const token = await provider.token()
    expect([(await ask('/api/runs', token)).status, (await ask('/api/runs', token)).status]).toEqual([
      200, 200,
    ])
  })
})

describe('access by claims', () => {
  it('a token without a required scope gets 403 with the scope', async () => {
    const { ask, provider } = await serveWithOidc({ scopes: ['troupe'] })
    expect(await ask('/api/runs', await provider.token())).toMatchObject({
      status: 403,
      body: { error: { code: 'scope_required' } },
      challenge: expect.stringMatching(/^Bearer error="insufficient_scope".*scope="troupe"/u) as string,
    })
    expect((await ask('/api/runs', await provider.token({ scope: 'troupe' }))).status).toBe(200)
  })

  it('a token whose required claim has another value gets 403', async () => {
    const { ask, provider } = await serveWithOidc({ claims: { required: { tenant: ['acme', 'umbrella'] } } })
    expect((await ask('/api/runs', await provider.token({ name: 'ben' }))).status).toBe(200)
    expect(await ask('/api/runs', await provider.token({ name: 'ada' }))).toMatchObject({
      status: 403,
      body: { error: { code: 'role_required' } },
    })
  })

  it('the principal and the roles come from the configured claims, also from nested ones', async () => {
    const team = await serveWithOidc({
      claims: { principal: 'https://example.com/user.name', role: 'realm_access.roles' },
    })
    const claims = { 'https://example.com/user.name': 'ada', realm_access: { roles: ['operator'] } }
    const token = await team.provider.sign(claimsOf(team, claims))
    expect((await team.ask('/api/runs?principal=*', token)).status).toBe(200)
    await expect.poll(() => team.records[0]?.principal).toBe(`${team.provider.issuer}#ada`)
  })

  it('with values for users, callers without any role get 403', async () => {
    const { ask, provider } = await serveWithOidc({
      claims: { role: 'roles' },
      roles: { operator: ['troupe-admins'], user: ['staff'] },
    })
    expect((await ask('/api/runs', await provider.token({ name: 'ben' }))).status).toBe(200)
    expect((await ask('/api/runs', await provider.token({ name: 'ada' }))).status).toBe(200)
    for (const name of ['vic', 'none'] as const)
      expect(await ask('/api/runs', await provider.token({ name }))).toMatchObject({
        status: 403,
        body: { error: { code: 'role_required' } },
      })
  })

  it('a claim gives the roles of operators and viewers, and all others are users', async () => {
    const { ask, provider } = await serveWithOidc(ADMINS)
    const statuses = async (name: 'ada' | 'ben' | 'vic' | 'none'): Promise<readonly number[]> => {
      const token = await provider.token({ name })
      return [
        (await ask('/api/runs', token)).status,
        (await ask('/v1/Parrot', token, { q: 'Hi' })).status,
        (await ask('/api/runs?principal=*', token)).status,
      ]
    }
    expect(await statuses('ada')).toEqual([200, 200, 200])
    expect(await statuses('ben')).toEqual([200, 200, 403])
    expect(await statuses('none')).toEqual([200, 200, 403])
    expect(await statuses('vic')).toEqual([200, 403, 403])
  })
})
