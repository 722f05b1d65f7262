import type { Headend, HeadendContext } from '@troupe/headends'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { readServerConfig, type TrustedProxyOptions } from '../src/index.ts'
import { createTrustedProxy } from '../src/identity/trusted-proxy.ts'
import { rawRequest } from './support/raw-request.ts'
import { PARROT, serveTeam, type TeamToServe } from './support/serve-team.ts'

const PROXY: TrustedProxyOptions = {
  peers: ['127.0.0.1'],
  userHeader: 'X-Forwarded-User',
  rolesHeader: 'X-Forwarded-Groups',
  roles: { operator: ['admins'], viewer: ['guests'] },
}
const TOKENS = [{ token: 'token-of-ben-0001', principal: 'ben' }]

/** A headend that returns the headers that it gets. */
function echo(_context: HeadendContext): Headend {
  const app: Headend['app'] = new Hono()
  app.all('/echo', ({ req }) => Response.json(Object.fromEntries(req.raw.headers)))
  return { name: 'echo', app }
}

async function serveBehind(proxy: Partial<TrustedProxyOptions> = {}, team: Partial<TeamToServe> = {}) {
  const served = await serveTeam({
    cards: [PARROT],
    headends: [echo],
    trustedProxy: { ...PROXY, ...proxy },
    ...team,
  })
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    rawRequest(`${served.url}${path}`, { headers })
  return { ...served, ask }
}

describe('users of a trusted proxy', () => {
  it('the proxy names the user and its roles', async () => {
    const { ask, records } = await serveBehind()
    const admin = { 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'staff, admins' }
    expect((await ask('/api/runs?principal=*', admin)).status).toBe(200)
    expect((await ask('/v1/Parrot?q=Hi', { 'x-forwarded-user': 'ben' })).status).toBe(200)
    expect((await ask('/api/runs?principal=*', { 'x-forwarded-user': 'ben' })).status).toBe(403)
    const guest = { 'x-forwarded-user': 'vic', 'x-forwarded-groups': 'guests' }
    expect((await ask('/v1/Parrot?q=Hi', guest)).status).toBe(403)
    await expect
      .poll(() => [...new Set(records.map(({ principal }) => principal))])
      .toEqual(['proxy:ada', 'proxy:ben', undefined])
  })

  it('a request without a user needs a token, and no caller is the operator by default', async () => {
    const { ask } = await serveBehind({}, { tokens: TOKENS })
    expect((await ask('/api/runs')).status).toBe(401)
    expect((await ask('/api/runs', { 'x-forwarded-user': '' })).status).toBe(401)
    expect((await ask('/api/runs', { authorization: 'Bearer token-of-ben-0001' })).status).toBe(200)
  })

  it('a user named like a principal of the configuration is another one', async () => {
    const { ask, records } = await serveBehind()
    expect((await ask('/api/runs/none/prompts', { 'x-forwarded-user': 'local' })).status).toBe(403)
    await expect.poll(() => records[0]?.principal).toBe('proxy:local')
  })

  it('a user with a name in UTF-8 is accepted', async () => {
    const { ask, records } = await serveBehind()
    const name = Buffer.from('Zoë 雪', 'utf8').toString('latin1')
    expect((await ask('/api/runs', { 'x-forwarded-user': name })).status).toBe(200)
    await expect.poll(() => records[0]?.principal).toBe('proxy:Zoë 雪')
  })

  it.each([
    ['a user that is sent twice', ['x-forwarded-user', 'ada', 'X-Forwarded-User', 'root']],
    [
      'groups that are sent twice',
      ['x-forwarded-user', 'ada', 'x-forwarded-groups', 'a', 'x-forwarded-groups', 'b'],
    ],
    ['a name that is too long', ['x-forwarded-user', 'a'.repeat(256)]],
  ])('%s is rejected with 400', async (_, pairs) => {
    const { url } = await serveBehind()
    const headers = new Map<string, string[]>()
    for (let index = 0; index < pairs.length; index += 2) {
      const name = (pairs[index] ?? '').toLowerCase()
      headers.set(name, [...(headers.get(name) ?? []), pairs[index + 1] ?? ''])
    }
    const { status, body } = await rawRequest(`${url}/api/runs`, {
      headers: Object.fromEntries(headers) as never,
    })
    expect([status, JSON.parse(body)]).toMatchObject([400, { error: { code: 'request_invalid' } }])
  })

  it('with values for users, a user without any role gets 403', async () => {
    const { ask } = await serveBehind({ roles: { user: ['staff'] } })
    expect(
      (await ask('/api/runs', { 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'staff' })).status,
    ).toBe(200)
    expect((await ask('/api/runs', { 'x-forwarded-user': 'eve' })).status).toBe(403)
  })
})

describe('other peers', () => {
  const headers = { 'x-forwarded-user': 'ada', 'X-Forwarded-Groups': 'admins' }

  it('the headers of a peer that is not listed are removed, so it needs a token', async () => {
    const { ask } = await serveBehind({ peers: ['10.0.0.0/8', '::1'] }, { tokens: TOKENS })
    expect((await ask('/api/runs', headers)).status).toBe(401)
    const token = { authorization: 'Bearer token-of-ben-0001' }
    expect((await ask('/api/runs?principal=*', { ...headers, ...token })).status).toBe(403)
    const { body } = await ask('/echo', { ...headers, ...token, 'x-other': 'kept' })
    expect(body).not.toMatch(/forwarded/iu)
    expect(JSON.parse(body)).toMatchObject({ 'x-other': 'kept', ...token })
  })

  it('a WebSocket connection needs a listed peer, too', async () => {
    const open = async (peers: readonly string[]): Promise<string> => {
      const { url } = await serveBehind({ peers })
      const socket = new WebSocket(`${url.replace('http', 'ws')}/mcp/ws`, ['mcp'], { headers })
      return new Promise((resolve) => {
        socket.on('error', (error) => resolve(error.message))
        socket.on('open', () => {
          socket.close()
          resolve('open')
        })
      })
    }
    expect(await open(['127.0.0.0/24'])).toBe('open')
    expect(await open(['127.0.1.0/24'])).toContain('401')
  })

  it.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['10.2.0.1', false],
    ['fd00::7', true],
    ['fd00::7%eth0', true],
    ['fd01::7', false],
    ['', false],
  ])('the peer %s is trusted: %s', (remoteAddress, isTrusted) => {
    const { strip } = createTrustedProxy({ ...PROXY, peers: ['10.1.0.0/16', 'fd00::/64'] })
    const request = {
      socket: { remoteAddress },
      rawHeaders: ['X-Forwarded-User', 'ada'],
      headers: {},
      headersDistinct: {},
    }
    strip(request as never)
    expect(request.rawHeaders.length > 0).toBe(isTrusted)
  })
})

describe('unusable configurations', () => {
  it.each<readonly [string, Partial<TrustedProxyOptions>, string]>([
    ['no peers', { peers: [] }, 'server.trustedProxy.peers: must have at least one address.'],
    ['a name as a peer', { peers: ['proxy.example.com'] }, 'server.trustedProxy.peers: "proxy.example.com"'],
    ['every address', { peers: ['0.0.0.0/0'] }, 'server.trustedProxy.peers: "0.0.0.0/0"'],
    ['a range that is too long', { peers: ['10.0.0.0/33'] }, 'server.trustedProxy.peers: "10.0.0.0/33"'],
    ['a range with letters', { peers: ['10.0.0.0/x'] }, 'server.trustedProxy.peers: "10.0.0.0/x"'],
    ['two slashes', { peers: ['10.0.0.0/8/8'] }, 'server.trustedProxy.peers: "10.0.0.0/8/8"'],
    ['a header with a space', { userHeader: 'X User' }, 'server.trustedProxy.userHeader: "X User"'],
    [
      'Authorization as the user',
      { userHeader: 'Authorization' },
      'server.trustedProxy.userHeader: Authorization',
    ],
    [
      'the same header twice',
      { rolesHeader: 'x-forwarded-USER' },
      'server.trustedProxy.rolesHeader: must differ',
    ],
  ])('%s is an error that names the key', async (_, options, message) => {
    expect(() => createTrustedProxy({ ...PROXY, ...options })).toThrowError(message)
  })

  it('roles without their header are an error', () => {
    const { rolesHeader: _, ...rest } = PROXY
    expect(() => createTrustedProxy(rest)).toThrowError('server.trustedProxy.roles: needs rolesHeader.')
  })

  it('a principal of a token must not begin like those of the proxy', async () => {
    const tokens = [{ token: 'token-of-ada-0001', principal: 'proxy:ada' }]
    await expect(serveTeam({ cards: [PARROT], tokens, trustedProxy: PROXY })).rejects.toThrowError(
      'server.tokens: the principal proxy:ada must not begin with proxy:',
    )
  })

  it('the key trustedProxy of troupe.json is read with its types checked', () => {
    const written = {
      peers: ['10.0.0.7'],
      userHeader: 'x-user',
      rolesHeader: 'x-roles',
      roles: { viewer: ['v'] },
    }
    expect(readServerConfig({ trustedProxy: written })).toEqual({ trustedProxy: written })
    expect(() =>
      readServerConfig({ trustedProxy: { peers: '10.0.0.7', userHeader: 'x-user' } }),
    ).toThrowError('server.trustedProxy.peers')
  })
})
