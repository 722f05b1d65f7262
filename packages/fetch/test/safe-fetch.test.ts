import { fakeClock } from '@troupe/testkit/internal'
import type { LookupAddress } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { createSafeFetch, type FetchRules, type SafeFetch } from '../src/index.ts'
import { CERTIFICATE } from './certificate.ts'
import { serve } from './server.ts'

const LOCAL: LookupAddress = { address: '127.0.0.1', family: 4 }
const LOOSE: FetchRules = { allowHttp: true, allowPrivate: true }

function fetchLocally(clock = fakeClock()): SafeFetch {
  return createSafeFetch({ clock, ca: [CERTIFICATE], lookup: async () => [LOCAL] })
}

describe('safeFetch', () => {
  it('safeFetch returns the body, the content type and the final URL', async () => {
    const { port } = await serve(
      (_request, response) => response.setHeader('content-type', 'Text/Plain; charset=utf-8').end('hello'),
      { secure: true },
    )
    const fetched = await fetchLocally()(`https://cards.example:${port}/a#b`, { allowPrivate: true })
    expect(fetched).toEqual({
      url: `https://cards.example:${port}/a#b`,
      contentType: 'text/plain',
      charset: 'utf-8',
      body: Buffer.from('hello'),
    })
  })

  it('safeFetch sends a body as POST', async () => {
    const { port } = await serve((request, response) => {
      request.setEncoding('utf8')
      request.on('data', (text: string) => response.write(`${request.method} ${text}`))
      request.on('end', () => response.end())
    })
    const { body } = await fetchLocally()(`http://a.example:${port}/`, { ...LOOSE, body: '{"a":1}' })
    expect(body.toString()).toBe('POST {"a":1}')
  })

  it('safeFetch with `sameHost` follows redirects on the first host only', async () => {
    const { port, requests } = await serve((request, response) => {
      const location = request.url === '/' ? '/next' : `http://b.example:${port}/other`
      response.writeHead(302, { location }).end()
    })
    await expect(
      fetchLocally()(`http://a.example:${port}/`, { ...LOOSE, sameHost: true }),
    ).rejects.toMatchObject({
      code: 'url_refused',
      message: expect.stringContaining(`http://b.example:${port}/other`),
    })
    expect(requests).toEqual(['/', '/next'])
  })

  it('safeFetch rejects a certificate for another host', async () => {
    const { port } = await serve((_request, response) => response.end('hello'), { secure: true })
    await expect(
      fetchLocally()(`https://evil.example:${port}/`, { allowPrivate: true }),
    ).rejects.toMatchObject({ code: 'url_failed' })
  })

  it('safeFetch connects to the checked IP address, whatever the name resolves to later', async () => {
    const { port, requests } = await serve((_request, response) => response.end('secret'))
    const answers: LookupAddress[][] = [[{ address: '192.0.2.1', family: 4 }], [LOCAL]]
    const connected: string[] = []
    const safeFetch = createSafeFetch({
      clock: fakeClock(),
      lookup: async () => answers.shift() ?? [LOCAL],
      onConnect: ({ address }) => connected.push(address),
    })
    await expect(safeFetch(`http://rebind.example:${port}/`, { allowHttp: true })).rejects.toMatchObject({
      code: 'url_refused',
    })
    expect([connected, requests]).toEqual([[], []])
  })

  it('safeFetch resolves and checks every redirect like the first URL', async () => {
    const { port } = await serve((request, response) => {
      if (request.url === '/in') response.end('inside')
      else response.writeHead(302, { location: `http://inner.example:${port}/in` }).end()
    })
    const looked: string[] = []
    const safeFetch = createSafeFetch({
      clock: fakeClock(),
      lookup: async (host) => {
        looked.push(host)
        return [LOCAL]
      },
    })
    await expect(safeFetch(`http://outer.example:${port}/`, LOOSE)).resolves.toMatchObject({
      body: Buffer.from('inside'),
    })
    expect(looked).toEqual(['outer.example', 'inner.example'])
  })

  it.each(['file:///etc/passwd', 'ftp://x/', 'http://user:pass@127.0.0.1/', 'data:,x'])(
    'safeFetch does not follow a redirect to %s',
    async (location) => {
      const { port } = await serve((_request, response) => response.writeHead(301, { location }).end())
      await expect(fetchLocally()(`http://a.example:${port}/`, LOOSE)).rejects.toMatchObject({
        code: 'url_refused',
      })
    },
  )

  it('safeFetch never follows a redirect from https to http', async () => {
    const { port } = await serve(
      (_request, response) => response.writeHead(307, { location: 'http://cards.example/' }).end(),
      { secure: true },
    )
    await expect(fetchLocally()(`https://cards.example:${port}/`, LOOSE)).rejects.toMatchObject({
      code: 'url_refused',
      message: expect.stringContaining('from https to http'),
    })
  })

  it('safeFetch follows three redirects, including relative ones, but not a fourth', async () => {
    const { port, requests } = await serve((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.end('there')
      else response.writeHead(308, { location: `/${left - 1}` }).end()
    })
    const base = `http://a.example:${port}`
    await expect(fetchLocally()(`${base}/3`, LOOSE)).resolves.toMatchObject({ url: `${base}/0` })
    await expect(fetchLocally()(`${base}/4`, LOOSE)).rejects.toMatchObject({ code: 'url_refused' })
    expect(requests).toEqual(['/3', '/2', '/1', '/0', '/4', '/3', '/2', '/1'])
  })

  it('safeFetch sends headers to the first origin only and adds no identifying headers', async () => {
    const other = await serve((_request, response) => response.end('ok'))
    const first = await serve((_request, response) =>
      response.writeHead(302, { location: `http://b.example:${other.port}/` }).end(),
    )
    await fetchLocally()(`http://a.example:${first.port}/`, {
      ...LOOSE,
      headers: { authorization: 'Bearer x' },
    })
    expect(first.headers[0]?.['authorization']).toBe('Bearer x')
    expect(Object.keys(other.headers[0] ?? {}).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
    ])
  })

  it('safeFetch ignores the proxy variables of the environment', async () => {
    const proxy = await serve((_request, response) => response.end('proxied'))
    const { port } = await serve((_request, response) => response.end('direct'))
    Object.assign(process.env, { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NODE_USE_ENV_PROXY: '1' })
    try {
      const { body } = await fetchLocally()(`http://a.example:${port}/`, LOOSE)
      expect(body.toString()).toBe('direct')
    } finally {
      delete process.env['HTTP_PROXY']
      delete process.env['NODE_USE_ENV_PROXY']
    }
  })

  it.each([
    ['announced', { 'content-length': '2000' }],
    ['not announced', {}],
  ])('safeFetch rejects a body above its size limit, %s', async (_how, headers) => {
    const { port } = await serve((_request, response) =>
      response.writeHead(200, headers).end('x'.repeat(2000)),
    )
    await expect(
      fetchLocally()(`http://a.example:${port}/`, { ...LOOSE, maxBytes: 1999 }),
    ).rejects.toMatchObject({ code: 'url_too_large' })
    await expect(
      fetchLocally()(`http://a.example:${port}/`, { ...LOOSE, maxBytes: 2000 }),
    ).resolves.toMatchObject({ body: { length: 2000 } })
  })

  it('safeFetch rejects compressed responses', async () => {
    const { port } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('bomb'),
    )
    await expect(fetchLocally()(`http://a.example:${port}/`, LOOSE)).rejects.toMatchObject({
      code: 'url_refused',
    })
  })

  it.each([
    ['text/html', 'the content type text/html'],
    ['', 'no content type'],
  ])('safeFetch rejects other content types than the accepted ones: "%s"', async (type, said) => {
    const { port } = await serve((_request, response) =>
      response.writeHead(200, type === '' ? {} : { 'content-type': type }).end('x'),
    )
    await expect(
      fetchLocally()(`http://a.example:${port}/`, { ...LOOSE, contentTypes: ['text/plain'] }),
    ).rejects.toMatchObject({
      code: 'url_refused',
      message: expect.stringContaining(said),
    })
  })

  it.each([
    [200, true],
    [202, true],
    [204, true],
    [302, false],
    [400, false],
    [503, false],
  ])('safeFetch with `anySuccess` and status %i: %s', async (status, isAccepted) => {
    const { port } = await serve((_request, response) => response.writeHead(status).end())
    const sent = fetchLocally()(`http://a.example:${port}/`, { ...LOOSE, body: '{}', anySuccess: true })
    const accepted = sent.then(
      () => true,
      () => false,
    )
    expect(await accepted).toBe(isAccepted)
  })

  it.each([404, 401, 500, 204, 304])('safeFetch fails for status %i', async (status) => {
    const { port } = await serve((_request, response) => response.writeHead(status).end())
    await expect(fetchLocally()(`http://a.example:${port}/`, LOOSE)).rejects.toMatchObject({
      code: 'url_failed',
      message: expect.stringContaining(String(status)),
    })
  })

  it('safeFetch fails if the connection is refused or the response is cut off', async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half')
      setImmediate(() => response.destroy())
    })
    await expect(fetchLocally()('http://a.example:1/', LOOSE)).rejects.toMatchObject({ code: 'url_failed' })
    await expect(fetchLocally()(`http://a.example:${port}/`, LOOSE)).rejects.toMatchObject({
      code: 'url_failed',
    })
  })

  it('safeFetch stops at its timeout: in the DNS lookup, before the response, in the body', async () => {
    const clock = fakeClock()
    const { port } = await serve((request, response) => {
      if (request.url === '/body') response.writeHead(200).write('half')
      void clock.advance(10_000)
    })
    const never = createSafeFetch({ clock, lookup: () => new Promise(() => undefined) })
    const waiting = never('https://a.example/')
    void clock.advance(10_000)
    await expect(waiting).rejects.toMatchObject({ failure: { code: 'url_timeout', class: 'timeout' } })
    await expect(fetchLocally(clock)(`http://a.example:${port}/`, LOOSE)).rejects.toMatchObject({
      code: 'url_timeout',
    })
    await expect(fetchLocally(clock)(`http://a.example:${port}/body`, LOOSE)).rejects.toMatchObject({
      code: 'url_timeout',
    })
  })

  it('safeFetch rejects with the reason of its abort signal', async () => {
    const stop = new AbortController()
    const { port } = await serve(() => stop.abort(new RangeError('enough')))
    await expect(
      fetchLocally()(`http://a.example:${port}/`, { ...LOOSE, signal: stop.signal }),
    ).rejects.toThrow('enough')
    await expect(
      fetchLocally()(`http://a.example:${port}/`, { ...LOOSE, signal: stop.signal }),
    ).rejects.toThrow('enough')
  })
})
