import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientAddress } from '../src/gate/rate-limit.ts'
import { PARROT, serveTeam, type ServedTeam } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

/** Opens a connection that sends `text` and stays open until the test ends. */
async function openSocket(
  { url }: Pick<ServedTeam, 'url'>,
  { text = '', localAddress = '127.0.0.1' } = {},
): Promise<Socket> {
  const { port } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress })
  socket.on('error', () => {
    // a reset counts as an end
  })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket
}

/** Returns what the server sends until it closes the connection. */
async function answerOf(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
  })
  if (!socket.closed) await once(socket, 'close')
  return text
}

/** Returns the status of a request from `localAddress`, or 0 if the connection was refused. */
function statusFrom(url: string, localAddress: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(url, { localAddress, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on('error', () => resolve(0))
    asked.end()
  })
}

describe('incomplete requests', () => {
  const limits = { headersTimeout: 100, requestTimeout: 200 }

  it('a request with late headers gets 408', { timeout: 10_000 }, async () => {
    const team = await serveTeam({ cards: [PARROT], limits })
    const socket = await openSocket(team, { text: 'GET /healthz HTTP/1.1\r\nHost: ' })
    expect(await answerOf(socket)).toContain('HTTP/1.1 408')
  })

  it.each(['/api/sign-in', '/v1/Parrot'])(
    'a request with a late body is ended: POST %s',
    { timeout: 10_000 },
    async (path) => {
      const team = await serveTeam({ cards: [PARROT], limits })
      const { host } = new URL(team.url)
      const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`
      const socket = await openSocket(team, { text: head })
      expect(await answerOf(socket)).not.toContain('HTTP/1.1 200')
    },
  )

  it('the header timeout is never longer than the request timeout', async () => {
    const { url } = await serveTeam({ cards: [PARROT], limits: { requestTimeout: 5000 } })
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })
})

describe('connection limits', () => {
  const limits = { maxConnections: 20, maxConnectionsPerAddress: 10 }

  it.each([
    ['sends nothing', ''],
    ['never ends its headers', 'GET /healthz HTTP/1.1\r\nHost: '],
    [
      'never ends its body',
      'POST /api/sign-in HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ],
  ])(
    'a client that opens many connections and %s on them cannot block /healthz, from its own address or another',
    async (_, text) => {
      const team = await serveTeam({ cards: [PARROT], limits })
      const sent = text.replace('HOST', new URL(team.url).host)
      for (let count = 0; count < 50; count += 1) await openSocket(team, { text: sent })
      expect(await statusFrom(`${team.url}/healthz`, '127.0.0.1')).toBe(200)
      expect(await statusFrom(`${team.url}/healthz`, '127.0.0.2')).toBe(200)
    },
  )

  it('a further connection of a busy address is rejected, but active ones and other addresses are not', async () => {
    const slow = slowAgent()
    const team = await serveTeam({ ...slow, limits })
    const [{ name }] = slow.cards as readonly { readonly name: string }[] as [{ readonly name: string }]
    const text = `GET /v1/${name}?q=Hi HTTP/1.1\r\nHost: ${new URL(team.url).host}\r\n\r\n`
    const sockets: Socket[] = []
    for (let count = 0; count < 10; count += 1) sockets.push(await openSocket(team, { text }))
    await expect.poll(async () => (await team.store.roots()).length).toBe(10)
    expect(await statusFrom(`${team.url}/healthz`, '127.0.0.1')).toBe(0)
    expect(await statusFrom(`${team.url}/healthz`, '127.0.0.2')).toBe(200)
    sockets[0]?.destroy()
    await expect.poll(() => statusFrom(`${team.url}/healthz`, '127.0.0.1')).toBe(200)
  })
})

it('a principal with the maximum number of event streams gets no other until it closes one; other principals do', async () => {
  const tokens = [
    { token: 'token-of-ada-0001', principal: 'ada' },
    { token: 'token-of-ben-0001', principal: 'ben' },
  ]
  const team = await serveTeam({ ...slowAgent(), tokens, limits: { maxFollowers: 2 } })
  const start = async (token: string): Promise<string> => {
    const answer = await fetch(`${team.url}/api/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"q":"Hi"}',
    })
    return ((await answer.json()) as { readonly runId: string }).runId
  }
  const follow = (token: string, runId: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${team.url}/api/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      ...(signal === undefined ? {} : { signal }),
    })
  const [ada, ben] = ['token-of-ada-0001', 'token-of-ben-0001']
  const [ofAda, ofBen] = [await start(ada), await start(ben)]
  const client = new AbortController()
  expect((await follow(ada, ofAda, client.signal)).status).toBe(200)
  expect((await follow(ada, ofAda, client.signal)).status).toBe(200)
  const refused = await follow(ada, ofAda)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited' } })
  expect((await follow(ben, ofBen, client.signal)).status).toBe(200)
  client.abort()
  await expect.poll(async () => (await follow(ada, ofAda)).status).toBe(200)
})

it('sign-in attempts with wrong tokens get 429 and Retry-After after ten of them', async () => {
  const team = await serveTeam({ cards: [PARROT], tokens: [{ token: 'token-of-ada-0001' }] })
  const signIn = (token: string): Promise<Response> =>
    fetch(`${team.url}/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
  const statuses: number[] = []
  for (let guess = 0; guess < 10; guess += 1) statuses.push((await signIn(`wrong-${guess}`)).status)
  expect(new Set(statuses)).toEqual(new Set([401]))
  const refused = await signIn('token-of-ada-0001')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const bearer = await fetch(`${team.url}/v1/Parrot?q=Hi`, { headers: { authorization: 'Bearer wrong-10' } })
  expect(bearer.status).toBe(429)
  expect((await fetch(`${team.url}/healthz`)).status).toBe(200)
})

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:DB8::9', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  [undefined, ''],
])('connections from %s are counted as address %s', (address, counted) => {
  expect(clientAddress(address)).toBe(counted)
})
