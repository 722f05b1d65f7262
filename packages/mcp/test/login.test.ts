import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { resultText, type McpServerConfig } from '@troupe/schema'
import {
  startProtectedServer,
  type ProtectedServer,
  type ProtectedServerOptions,
} from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFileLoginStore, logIn, logOut, type LoginStore } from '../src/index.ts'
import { createTeamServer } from './servers/team-server.ts'
import { browserOf } from './support/browser-of.ts'
import { startHttp, type Answer } from './support/http-servers.ts'
import { realClock } from './support/real-clock.ts'
import { call, leaseOf, testPool } from './support/test-pool.ts'

const PERSON = { principal: 'me', client: { name: 'troupe-test', version: '0.0.0' }, clock: realClock }

describe('a server that requires a login', () => {
  it('a server that requires a login fails without one and names the command for it', async () => {
    const { server, pool } = await protectedTeam()
    await expect(leaseOf(pool, { url: server.url })).rejects.toMatchObject({
      code: 'mcp_needs_auth',
      message: 'The MCP server "tm" requires a login: troupe servers login tm',
    })
    expect(server.requests).not.toContain('POST /register')
  })

  it('a server that requires a login works after it, for every pool with the same store', async () => {
    const { server, store, pool, folder } = await protectedTeam()
    const { tools } = await person(server, store)
    const lease = await leaseOf(pool, { url: server.url })
    expect(tools).toBe(lease.tools.length)
    expect(resultText(await call(lease, 'echo', { text: 'hi' }))).toBe('hi')
    const other = testPool({ logins: createFileLoginStore({ folder }) })
    expect((await leaseOf(other, { url: server.url })).tools).toHaveLength(tools)
    expect(server.faults).toEqual([])
  })

  it('a login is stored in a file that only its owner can read', async () => {
    const { server, store, folder } = await protectedTeam()
    await person(server, store)
    const [file = '', ...others] = await readdir(folder)
    expect(others).toEqual([])
    expect(file).toMatch(/^127\.0\.0\.1-[0-9a-f]{16}\.json$/u)
    const modes = await Promise.all([stat(folder), stat(join(folder, file))])
    expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(['700', '600'])
  })

  it('a login belongs to one principal', async () => {
    const { server, store, pool } = await protectedTeam()
    await person(server, store)
    await expect(leaseOf(pool, { url: server.url }, { principal: 'you' })).rejects.toMatchObject({
      code: 'mcp_needs_auth',
    })
  })

  it('an expired login is refreshed once for all calls that find it expired', async () => {
    const { server, store, pool } = await protectedTeam()
    await person(server, store)
    const lease = await leaseOf(pool, { url: server.url })
    server.tokens.expire()
    const texts = ['a', 'b', 'c', 'd']
    const results = await Promise.all(texts.map((text) => call(lease, 'echo', { text })))
    expect(results.map(resultText)).toEqual(texts)
    expect(server.requests.filter((line) => line === 'POST /token')).toHaveLength(2)
    expect(server.faults).toEqual([])
  })

  it('a login that cannot be refreshed requires a person again', async () => {
    const { server, store, pool } = await protectedTeam()
    await person(server, store)
    const lease = await leaseOf(pool, { url: server.url })
    server.tokens.revoke()
    const { failure } = await call(lease, 'echo', { text: 'hi' })
    expect(failure).toMatchObject({
      code: 'mcp_needs_auth',
      message: 'The MCP server "tm" no longer accepts its login: troupe servers login tm',
    })
    await person(server, store)
    expect(resultText(await call(lease, 'echo', { text: 'again' }))).toBe('again')
  })

  it('the next login requests the scopes that the server required meanwhile', async () => {
    const { server, store, pool } = await protectedTeam()
    await person(server, store)
    const lease = await leaseOf(pool, { url: server.url })
    server.require('mail')
    const { failure } = await call(lease, 'echo', { text: 'hi' })
    expect(failure?.message).toBe(
      'The MCP server "tm" requires a login with additional scopes: troupe servers login tm',
    )
    await person(server, store)
    expect(resultText(await call(lease, 'echo', { text: 'hi' }))).toBe('hi')
  })

  it('a login is removed on request', async () => {
    const { server, store, pool } = await protectedTeam()
    await person(server, store)
    expect(await logOut({ url: server.url, principal: 'me', store })).toBe(true)
    expect(await logOut({ url: server.url, principal: 'me', store })).toBe(false)
    await expect(leaseOf(pool, { url: server.url })).rejects.toMatchObject({ code: 'mcp_needs_auth' })
  })

  it('the tokens of a login cannot be read by the model', async () => {
    const { server, store, pool } = await protectedTeam((request) => ({ ...request.headers }))
    await person(server, store)
    const lease = await leaseOf(pool, { url: server.url })
    const said = JSON.stringify(await call(lease, 'echo', { text: 'hi' }))
    expect(said).toContain('[redacted:LOGIN]')
    expect(said).not.toMatch(/access-[0-9a-f]{32}/u)
  })

  it('the headers of a server are not sent to its authorization server', async () => {
    const { server, store } = await protectedTeam()
    await person(server, store, { headers: { 'x-key': 'of the server' } })
    expect(server.loginHeaders.length).toBeGreaterThan(3)
    for (const headers of server.loginHeaders) expect(headers).not.toHaveProperty('x-key')
  })

  it('a login accepts a client that was registered manually, with a fixed port', async () => {
    const probe = await startHttp(() => undefined)
    const redirectPort = Number(new URL(probe.url).port)
    await probe.stop()
    const clients = { 'by-hand': `http://127.0.0.1:${redirectPort}/callback` }
    const { server, store } = await protectedTeam(undefined, { clients })
    await person(server, store, { auth: { clientId: 'by-hand', redirectPort } })
    expect(server.requests).not.toContain('POST /register')
    expect(server.faults).toEqual([])
  })

  it('a login with a port that is in use fails with an error that names it', async () => {
    const { server, store } = await protectedTeam()
    const taken = await startHttp(() => undefined)
    const redirectPort = Number(new URL(taken.url).port)
    await expect(person(server, store, { auth: { redirectPort } })).rejects.toMatchObject({
      code: 'mcp_auth_failed',
      message: expect.stringContaining(`Port ${redirectPort}`),
    })
  })

  it('a login ignores a redirect that it did not start', async () => {
    const { server, store } = await protectedTeam()
    const statuses: number[] = []
    await logIn({
      ...PERSON,
      server: 'tm',
      config: { url: server.url },
      store,
      show: (url) => {
        const forged = new URL(url.searchParams.get('redirect_uri') ?? '')
        forged.search = '?code=stolen&state=guessed'
        void fetch(forged)
          .then(({ status }) => statuses.push(status))
          .then(() => browserOf(url))
      },
    })
    expect(statuses).toEqual([400])
  })

  it('a login can be refused by a person', async () => {
    const { server, store } = await protectedTeam()
    const refused = logIn({
      ...PERSON,
      server: 'tm',
      config: { url: server.url },
      store,
      show: (url) => {
        const back = new URL(url.searchParams.get('redirect_uri') ?? '')
        back.search = `?error=access_denied&state=${url.searchParams.get('state') ?? ''}`
        void browserOf(back)
      },
    })
    await expect(refused).rejects.toMatchObject({
      code: 'mcp_auth_failed',
      message: 'The login was refused: access_denied.',
    })
  })

  it('a login ends when its signal aborts', async () => {
    const { server, store } = await protectedTeam()
    const stop = new AbortController()
    const login = logIn({
      ...PERSON,
      server: 'tm',
      config: { url: server.url },
      store,
      signal: stop.signal,
      show: () => stop.abort(),
    })
    await expect(login).rejects.toMatchObject({ code: 'mcp_closed' })
  })
})

describe('a redirect', () => {
  it('a redirect never carries a key to another origin', async () => {
    const seen: unknown[] = []
    const elsewhere = await startHttp((request, response) => {
      seen.push(request.headers)
      response.writeHead(404).end()
    })
    const server = await startHttp((_request, response) =>
      response.writeHead(307, { location: elsewhere.url }).end(),
    )
    const config = { url: server.url, headers: { authorization: 'Bearer key', 'x-key': 'key' } }
    await expect(leaseOf(testPool(), config)).rejects.toMatchObject({ code: 'mcp_start_failed' })
    expect(seen).toEqual([])
  })
})

describe('a stdio server', () => {
  it('a server over a WebSocket has no login', async () => {
    const attempt = logIn({
      ...PERSON,
      server: 'tm',
      config: { url: 'ws://127.0.0.1:9/mcp' },
      store: createFileLoginStore({ folder: '/nowhere' }),
      show: () => undefined,
    })
    await expect(attempt).rejects.toMatchObject({
      code: 'mcp_bad_config',
      message: expect.stringContaining('uses a WebSocket'),
    })
  })

  it('a stdio server has no login', async () => {
    const { store } = await protectedTeam()
    const login = logIn({
      ...PERSON,
      server: 'tm',
      config: { command: 'node' },
      store,
      show: () => undefined,
    })
    await expect(login).rejects.toMatchObject({ code: 'mcp_bad_config' })
  })
})

interface ProtectedTeam {
  readonly server: ProtectedServer
  readonly store: LoginStore
  readonly folder: string
  readonly pool: ReturnType<typeof testPool>
}

/** Starts the team server behind a login; `echoes` returns a property of the request in place of the echoed text. */
async function protectedTeam(
  echoes?: (request: Parameters<ProtectedServerOptions['answer']>[0]) => unknown,
  options: Partial<ProtectedServerOptions> = {},
): Promise<ProtectedTeam> {
  const folder = join(await mkdtemp(join(tmpdir(), 'troupe-login-')), 'logins')
  onTestFinished(() => rm(join(folder, '..'), { recursive: true }))
  let last = ''
  const handle = toNodeHandler(
    createMcpHandler(({ era }) => createTeamServer(era, echoes === undefined ? undefined : () => last)),
  ) as Answer
  const server = await startProtectedServer({
    answer: (request, response: ServerResponse) => {
      if (echoes !== undefined) last = JSON.stringify(echoes(request))
      return handle(request, response)
    },
    ...options,
  })
  onTestFinished(() => server.stop())
  const store = createFileLoginStore({ folder })
  return { server, store, folder, pool: testPool({ logins: store }) }
}

/** Logs in as a user who agrees. */
function person(
  { url }: ProtectedServer,
  store: LoginStore,
  config: McpServerConfig = {},
): Promise<{ readonly tools: number }> {
  return logIn({
    ...PERSON,
    server: 'tm',
    config: { url, ...config },
    store,
    show: (page) => void browserOf(page),
  })
}

describe('a stored login file that is invalid', () => {
  it('a stored login file that is invalid is reported with its path', async () => {
    const { server, store, folder } = await protectedTeam()
    await person(server, store)
    const [file = ''] = await readdir(folder)
    await writeFile(join(folder, file), '{')
    await expect(store.read({ url: server.url, principal: 'me' })).rejects.toMatchObject({
      code: 'mcp_auth_failed',
      message: expect.stringContaining(file),
    })
  })
})
