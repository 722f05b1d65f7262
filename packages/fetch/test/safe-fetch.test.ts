import { fakeClock } from '@troupe/testkit'
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
  it('gives the body, the type and the final address', async () => {
    const { port } = await serve(
      (_request, response) => response.setHeader('content-type', 'Text/Plain; charset=utf-8').end('hello'),
      { secure: true },
    )
    const fetched = await fetchLocally()(`https://cards.example:${port}/a#b`, { allowPrivate: true })
    expect(fetched).toEqual({
      url: `https://cards.example:${port}/a#b`,
      contentType: 'text/plain',
      body: Buffer.from('hello'),
    })
  })

  it('trusts no certificate of another host', async () => {
    const { port } = await serve((_request, response) => response.end('hello'), { secure: true })
    await expect(
      fetchLocally()(`https://evil.example:${port}/`, { allowPrivate: true }),
    ).rejects.toMatchObject({ code: 'url_failed' })
  })

  it('connects to the address that was checked, whatever the name resolves to next', async () => {
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

  it('looks every redirect up and checks it like the first address', async () => {
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
    'follows no redirect to %s',
    async (location) => {
      const { port } = await serve((_request, response) => response.writeHead(301, { location }).end())
      await expect(fetchLocally()(`http://a.example:${port}/`, LOOSE)).rejects.toMatchObject({
        code: 'url_refused',
      })
    },
  )

  it('never goes from https to http', async () => {
    const { port } = await serve(
      (_request, response) => response.writeHead(307, { location: 'http://cards.example/' }).end(),
      { secure: true },
    )
    await expect(fetchLocally()(`https://cards.example:${port}/`, LOOSE)).rejects.toMatchObject({
      code: 'url_refused',
      message: expect.stringContaining('from https to http'),
    })
  })

  it('follows three redirects and no fourth, relative ones too', async () => {
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

  it('sends headers to the first origin only, and nothing of its own that tells who asks', async () => {
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

  it('ignores the proxies of the environment', async () => {
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
  ])('takes no more than its limit, %s', async (_how, headers) => {
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

  it('takes nothing compressed', async () => {
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
  ])('takes no other type than what is wanted: "%s"', async (type, said) => {
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

  it.each([404, 401, 500, 204, 304])('fails for status %i', async (status) => {
    const { port } = await serve((_request, response) => response.writeHead(status).end())
    await expect(fetchLocally()(`http://a.example:${port}/`, LOOSE)).rejects.toMatchObject({
      code: 'url_failed',
      message: expect.stringContaining(String(status)),
    })
  })

  it('fails where nobody listens, and where the answer breaks off', async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half')
      setImmediate(() => response.destroy())
    })
    await expect(fetchLocally()('http://a.example:1/', LOOSE)).rejects.toMatchObject({ code: 'url_failed' })
    await expect(fetchLocally()(`http://a.example:${port}/`, LOOSE)).rejects.toMatchObject({
      code: 'url_failed',
    })
  })

  it('ends at its time limit: in the lookup, before the answer, in the body', async () => {
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

  it('ends with the reason of its signal', async () => {
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
