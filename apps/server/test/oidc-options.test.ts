import { createSafeFetch } from '@troupe/fetch'
import { fakeClock } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { readServerConfig, type OidcOptions } from '../src/index.ts'
import { createTokenVerifier } from '../src/identity/token-verifier.ts'
import { createUsedTokens } from '../src/identity/used-tokens.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'

const OIDC: OidcOptions = { issuer: 'https://login.example.com', audience: 'troupe' }
const context = { clock: SYSTEM_CLOCK, safeFetch: createSafeFetch({ clock: SYSTEM_CLOCK }) }

describe('unusable configurations of an identity provider', () => {
  it.each<readonly [string, Partial<OidcOptions>, string]>([
    [
      'an issuer that is not a URL',
      { issuer: 'login.example.com' },
      'server.oidc.issuer: "login.example.com"',
    ],
    [
      'an issuer with a query',
      { issuer: 'https://x.example/?a=1' },
      'server.oidc.issuer: "https://x.example/?a=1"',
    ],
    [
      'an issuer over http',
      { issuer: 'http://x.example', allowPrivate: true },
      'server.oidc.issuer: must use https',
    ],
    [
      'a local issuer without allowPrivate',
      { issuer: 'http://127.0.0.1:1' },
      'server.oidc.issuer: must use https',
    ],
    ['no audience', { audience: [] }, 'server.oidc.audience: must name at least one audience.'],
    ['an empty audience', { audience: ['a', ''] }, 'server.oidc.audience: must name at least one audience.'],
    ['roles without their claim', { roles: { viewer: ['v'] } }, 'server.oidc.roles: needs claims.role'],
    ['a scope with a space', { scopes: ['a b'] }, 'server.oidc.scopes: must be scopes'],
    ['the scope offline_access', { scopes: ['offline_access'] }, 'server.oidc.scopes: must be scopes'],
  ])('%s is an error that names the key', (_, options, message) => {
    expect(() => createTokenVerifier({ ...OIDC, ...options }, context)).toThrowError(message)
  })

  it.each([
    ['a token that looks like one of the provider', { token: 'e30abcdefg.e30abcdefg.abc' }, 'looks like one'],
    [
      'a principal that begins like one of the provider',
      { token: 'token-of-ada-0001', principal: 'https://login.example.com#ada' },
      'must not begin with https://',
    ],
  ])('%s in the configuration is an error', async (_, token, message) => {
    await expect(serveTeam({ cards: [PARROT], tokens: [token], oidc: OIDC })).rejects.toThrowError(message)
  })

  it('the key oidc of troupe.json is read with its types checked', () => {
    const written = {
      issuer: 'https://login.example.com',
      audience: ['troupe'],
      claims: { principal: 'email', role: 'groups', required: { email_verified: true, tenant: ['a', 'b'] } },
      roles: { operator: ['admins'], user: ['staff'], viewer: ['guests'] },
      scopes: ['troupe'],
      algorithms: ['ES256'],
      singleUse: true,
      allowPrivate: true,
    }
    expect(readServerConfig({ oidc: written })).toEqual({ oidc: written })
    expect(() => readServerConfig({ oidc: { ...written, algorithms: ['HS256'] } })).toThrowError(
      'server.oidc.algorithms.0',
    )
    expect(() => readServerConfig({ oidc: { issuer: 'https://login.example.com' } })).toThrowError(
      'server.oidc.audience',
    )
    expect(() => readServerConfig({ oidc: { ...written, audiences: [] } })).toThrowError('audiences')
  })

  it('a provider at a private address is not reached without allowPrivate', async () => {
    const errors: unknown[] = []
    const verifier = createTokenVerifier(
      { ...OIDC, issuer: 'https://10.0.0.1' },
      { ...context, onError: (thrown) => void errors.push(thrown) },
    )
    expect(await verifier.verify('eyJhbGciOiJFUzI1NiJ9.e30.AA')).toMatchObject({
      code: 'identity_unavailable',
    })
    expect(errors.map(String)).toEqual([expect.stringContaining('10.0.0.1 is not a public address')])
  })

  it('a server on the network may use a provider instead of tokens', async () => {
    // an address of this machine that the server takes for one of the network
    const hostname = '127.1'
    const { url } = await serveTeam({ cards: [PARROT], hostname, oidc: OIDC })
    expect((await fetch(`${url}/api/runs`)).status).toBe(401)
    await expect(serveTeam({ cards: [PARROT], hostname })).rejects.toThrowError('no token is set')
  })
})

describe('the memory of used tokens', () => {
  it('forgets a token when it has expired, and accepts no further one while it is full', async () => {
    const clock = fakeClock(1_000_000)
    const used = createUsedTokens(clock, 2)
    expect([used.use('a', 1_010_000), used.use('b', 1_060_000)]).toEqual(['first', 'first'])
    expect([used.use('a', 1_010_000), used.use('c', 1_060_000)]).toEqual(['repeated', 'full'])
    await clock.advance(10_000)
    expect([used.use('c', 1_060_000), used.use('b', 1_060_000), used.use('d', 1_060_000)]).toEqual([
      'first',
      'repeated',
      'full',
    ])
  })
})
