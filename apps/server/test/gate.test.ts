import { describe, expect, it } from 'vitest'
import { createServer } from '../src/index.ts'
import { rawRequest } from './support/raw-request.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'

const PATHS = [
  '/v1/Parrot?q=Hi',
  '/api/runs',
  '/openai/v1/models',
  '/anthropic/v1/models',
  '/mcp',
  '/mcp/sse',
  '/mcp/agents/Parrot',
  '/a2a/Parrot',
  '/.well-known/agent-card.json',
  '/agui/Parrot',
  '/api/chat',
  '/api/agents',
  '/api/agents/Parrot/tools',
  '/openapi.json',
  '/metrics',
  '/healthz',
  '/readyz',
  '/nowhere',
  '/',
]
const TOKENS = [
  { token: 'token-of-ada-0001', principal: 'ada' },
  { token: 'token-of-ben-0001', principal: 'ben' },
]

describe('server on a loopback address', () => {
  it.each([
    ['another host', { host: 'evil.example' }],
    ['another host with its port', { host: 'evil.example:PORT' }],
    ['a host that only begins like its own', { host: '127.0.0.1.evil.example:PORT' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['no port', { host: '127.0.0.1' }],
    ['an address it does not listen at', { host: '[::1]:PORT' }],
    ['an address of a network', { host: '10.0.0.1:PORT' }],
    ['a page of another site', { host: '127.0.0.1:PORT', origin: 'http://evil.example' }],
    [
      'a page whose host only begins like its own',
      { host: '127.0.0.1:PORT', origin: 'http://127.0.0.1.evil.example:PORT' },
    ],
    ['a page without an origin', { host: '127.0.0.1:PORT', origin: 'null' }],
    ['a page of another port', { host: '127.0.0.1:PORT', origin: 'http://127.0.0.1:1' }],
    ['a page of another name of this machine', { host: '127.0.0.1:PORT', origin: 'http://localhost:PORT' }],
  ])(
    'the server rejects a request for %s on every route',
    async (_, headers: Readonly<Record<string, string>>) => {
      const { url, store } = await serveTeam({ cards: [PARROT] })
      const { port } = new URL(url)
      const filled = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('PORT', port)])
      const options = { headers: Object.fromEntries(filled) }
      for (const path of PATHS) {
        const { status, body } = await rawRequest(`${url}${path}`, options)
        expect(status).toBe(403)
        expect(JSON.parse(body)).toMatchObject({ error: { class: 'permission', code: 'request_refused' } })
      }
      expect(await store.roots()).toEqual([])
    },
  )

  it('the server rejects an invalid host', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const { status, body } = await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers: { host: 'a, b' } })
    expect(status).toBe(400)
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'request_invalid' } })
    expect((await rawRequest(`${url}/v1/Parrot?q=Hi`, { withoutHost: true })).status).toBe(400)
  })

  it('the server accepts its own names, and requests from its own pages', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const { port } = new URL(url)
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`]) {
      const { status } = await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers: { host } })
      expect(status).toBe(200)
    }
    const headers = { origin: url, 'sec-fetch-site': 'same-origin' }
    expect((await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers })).status).toBe(200)
  })

  it('only pages of allowed origins can read responses', async () => {
    const origin = 'https://agents.example.com'
    const { url } = await serveTeam({ cards: [PARROT], allowedOrigins: [origin] })
    const asked = await rawRequest(`${url}/v1/Parrot`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(asked.status).toBe(204)
    expect(asked.headers['access-control-allow-origin']).toBe(origin)
    const answered = await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers: { origin } })
    expect(answered.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
    const proxied = await rawRequest(`${url}/v1/Parrot?q=Hi`, {
      headers: { host: 'agents.example.com', origin },
    })
    expect(proxied.status).toBe(200)
    const own = await rawRequest(`${url}/v1/Parrot?q=Hi`)
    expect(own.headers['access-control-allow-origin']).toBeUndefined()
  })
})

it('a server behind a proxy uses its public URL in agent cards and documents', async () => {
  const { url } = await serveTeam({ cards: [PARROT], publicUrl: 'https://agents.example.com/team/' })
  const ask = async (path: string, host: string): Promise<unknown> => {
    const { status, body } = await rawRequest(`${url}${path}`, { headers: { host } })
    return status === 200 ? (JSON.parse(body) as unknown) : status
  }
  expect(await ask('/openapi.json', 'agents.example.com')).toMatchObject({
    servers: [{ url: 'https://agents.example.com/team' }],
  })
  const card = await ask('/a2a/Parrot/.well-known/agent-card.json', new URL(url).host)
  expect(JSON.stringify(card)).toContain('https://agents.example.com/team/a2a/Parrot')
  expect(await ask('/openapi.json', 'evil.example.com')).toBe(403)
})

describe('server with tokens', () => {
  it.each([
    ['Authorization', { authorization: 'Bearer token-of-ada-0001' }],
    ['Authorization in small letters', { authorization: 'bearer token-of-ada-0001' }],
    ['x-api-key', { 'x-api-key': 'token-of-ada-0001' }],
    ['the cookie of its page', { cookie: 'theme=dark; troupe_token=token-of-ada-0001' }],
  ])('the server recognizes callers by %s', async (_, headers: Readonly<Record<string, string>>) => {
    const { url, records } = await serveTeam({ cards: [PARROT], tokens: TOKENS })
    expect((await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers })).status).toBe(200)
    await expect.poll(() => records).toMatchObject([{ principal: 'ada', status: 200, path: '/v1/Parrot' }])
  })

  it.each([
    ['none', {}],
    ['an unknown one', { authorization: 'Bearer token-of-eve-0001' }],
    ['an empty one', { authorization: 'Bearer ', 'x-api-key': '' }],
    ['one of another kind', { authorization: 'Basic token-of-ada-0001' }],
    ['a cookie that is broken', { cookie: 'troupe_token=%E0%A4%A' }],
  ])('the server rejects %s', async (_, headers: Readonly<Record<string, string>>) => {
    const { url, store } = await serveTeam({ cards: [PARROT], tokens: TOKENS })
    const refused = await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers })
    expect(refused.status).toBe(401)
    expect(refused.headers['www-authenticate']).toBe('Bearer')
    expect(JSON.parse(refused.body)).toMatchObject({ error: { class: 'auth', code: 'token_required' } })
    expect((await rawRequest(`${url}/nowhere`, { headers })).status).toBe(401)
    expect((await rawRequest(`${url}/healthz`, { headers })).status).toBe(200)
    expect(await store.roots()).toEqual([])
  })

  it('listening on a public address requires a token', async () => {
    const start = (hostname: string) =>
      createServer({
        host: {} as never,
        store: {} as never,
        hostname,
        port: 0,
        clock: {} as never,
        newId: () => '',
      })
    for (const hostname of ['0.0.0.0', '::', '192.168.1.1', 'example.com'])
      await expect(start(hostname)).rejects.toMatchObject({ code: 'server_exposed' })
  })

  it('a server with tokens responds under numeric addresses, but not under arbitrary names', async () => {
    const { url } = await serveTeam({ cards: [PARROT], tokens: TOKENS, hostname: '0.0.0.0' })
    const { port } = new URL(url)
    const ask = (host: string) =>
      rawRequest(`http://127.0.0.1:${port}/v1/Parrot?q=Hi`, {
        headers: { host, 'x-api-key': 'token-of-ada-0001' },
      })
    expect((await ask(`127.0.0.1:${port}`)).status).toBe(200)
    expect((await ask(`10.1.2.3:${port}`)).status).toBe(200)
    expect((await ask(`rebound.example:${port}`)).status).toBe(403)
  })

  it('a server rejects tokens that are easy to guess', async () => {
    await expect(serveTeam({ cards: [PARROT], tokens: [{ token: 'short' }] })).rejects.toMatchObject({
      code: 'config_invalid',
    })
  })
})

describe('request bodies', () => {
  const body = JSON.stringify({ q: 'x'.repeat(3000) })

  it('a body with a Content-Length above the limit is rejected before it is read', async () => {
    const { url } = await serveTeam({ cards: [PARROT], limits: { maxBodyBytes: 2000 } })
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const answer = await rawRequest(`${url}/v1/Parrot`, { method: 'POST', headers, body })
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'request_too_large' } })
  })

  it('a chunked body is rejected when it exceeds the limit', async () => {
    const { url } = await serveTeam({ cards: [PARROT], limits: { maxBodyBytes: 2000 } })
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    const answer = await rawRequest(`${url}/v1/Parrot`, { method: 'POST', headers, body })
    expect(answer.status).toBe(413)
    const small = await rawRequest(`${url}/v1/Parrot`, { method: 'POST', headers, body: '{"q":"Hi"}' })
    expect(small.body).toBe('Hi')
  })
})

it('/healthz and /readyz report the state of the server', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' })
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' })
})

it('a request whose headers never end is closed', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const answer = await rawRequest(`${url}/v1/Parrot?q=Hi`, { headers: { 'x-long': 'x'.repeat(20_000) } })
  expect(answer.status).toBe(431)
})

describe('errors before the protocol handler', () => {
  it.each([
    ['/v1/Parrot', { error: { code: 'token_required', class: 'auth' } }],
    ['/openai/v1/chat/completions', { error: { code: 'token_required', type: 'authentication_error' } }],
    ['/anthropic/v1/messages', { type: 'error', error: { type: 'authentication_error' } }],
  ])('an early error has the format of its protocol: %s', async (path, body) => {
    const { url } = await serveTeam({ cards: [PARROT], tokens: TOKENS })
    const answer = await rawRequest(`${url}${path}`, { method: 'POST' })
    expect(answer.status).toBe(401)
    expect(JSON.parse(answer.body)).toMatchObject(body)
  })
})

it('a principal that exceeds its request rate gets Retry-After, and other principals are not affected', async () => {
  const { url } = await serveTeam({ cards: [PARROT], tokens: TOKENS, limits: { requestsPerMinute: 3 } })
  const ask = (name: string) =>
    rawRequest(`${url}/v1/Parrot?q=Hi`, { headers: { 'x-api-key': `token-of-${name}-0001` } })
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) statuses.push((await ask('ada')).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  const refused = await ask('ada')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(5)
  expect(JSON.parse(refused.body)).toMatchObject({ error: { class: 'limit', code: 'rate_limited' } })
  expect((await ask('ben')).status).toBe(200)
  expect((await rawRequest(`${url}/healthz`)).status).toBe(200)
})

it('a server applies its budget to every run', async () => {
  const { url } = await serveTeam({ cards: [PARROT], limits: { budget: { maxTokens: 1 } } })
  const answer = await rawRequest(`${url}/v1/Parrot?q=Hi`)
  expect(answer.status).toBe(429)
  expect(JSON.parse(answer.body)).toMatchObject({ error: { class: 'budget', code: 'budget_exceeded' } })
})
