import { createServer, type RequestListener } from 'node:http'
import { createServer as createSocketServer, type AddressInfo, type Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { fakeClock } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Dispatcher } from 'undici'
import { limitedFetch } from '../src/transport/limited-fetch.ts'
import { DEFAULT_TIMEOUTS } from '../src/transport/timeout-watch.ts'

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function serve(answer: RequestListener): Promise<string> {
  return `http://${await listen(createServer(answer))}`
}

interface Endless {
  readonly url: string
  /** Resolves when the connection of its one request is closed by the client. */
  readonly closed: Promise<void>
}

/** Starts a server that sends an endless answer before it has read the request. */
async function startEndless(): Promise<Endless> {
  const closed = Promise.withResolvers<void>()
  const url = await serve((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write('data: {}\n\n'), 1)
    response.on('close', () => {
      clearInterval(timer)
      closed.resolve()
    })
  })
  return { url, closed: closed.promise }
}

const REASON = { code: 'run_cancelled', message: 'The run was stopped.' }
const rulesBy = (clock = fakeClock()) => ({
  provider: 'p',
  timeouts: DEFAULT_TIMEOUTS,
  clock,
  streams: 'events' as const,
})
const post = (body = '{"stream":true}'): RequestInit => ({ method: 'POST', body })

describe.each([
  ['fetch', fetch],
  ['the global fetch', undefined],
])('an abandoned response of %s', (_, plain) => {
  const ask = (url: string, signal: AbortSignal): Promise<Response> =>
    limitedFetch(plain, rulesBy())(url, { ...post(), signal })

  it('a response abandoned by its signal closes the connection with the reason for its reader, without unhandled rejections', async () => {
    const { url, closed } = await startEndless()
    const controller = new AbortController()
    const { body } = await ask(url, controller.signal)
    const drained = drain(body).catch((thrown: unknown) => thrown)
    controller.abort(REASON)
    expect(await drained).toEqual(REASON)
    await closed
  })

  it('a response abandoned by its reader and its signal at once closes the connection, without unhandled rejections', async () => {
    const { url, closed } = await startEndless()
    const controller = new AbortController()
    const reader = (await ask(url, controller.signal)).body?.getReader()
    await reader?.read()
    const cancelled = reader?.cancel()
    controller.abort(REASON)
    expect(await Promise.all([cancelled, closed])).toHaveLength(2)
  })

  it('a request abandoned before its response closes the connection and rejects with the reason', async () => {
    const closed = Promise.withResolvers<void>()
    const controller = new AbortController()
    const url = await serve((request) => {
      request.on('close', () => closed.resolve()).resume()
      controller.abort(REASON)
    })
    expect(await ask(url, controller.signal).catch((thrown: unknown) => thrown)).toEqual(REASON)
    await closed.promise
    await expect(ask(url, AbortSignal.abort(REASON))).rejects.toEqual(REASON)
  })
})

describe('a request with the global fetch', () => {
  const ask = (url: string, init: RequestInit = post('{}')): Promise<Response> =>
    limitedFetch(undefined, rulesBy())(url, init)

  it('a request has the headers of fetch, and its response has status, headers and text', async () => {
    const url = await serve((request, response) => {
      response.writeHead(418, 'Teapot', { 'x-got': request.headers['x-sent'], 'set-cookie': ['a=1', 'b=2'] })
      request.pipe(response)
    })
    const response = await ask(url, { ...post('grüß'), headers: { 'X-Sent': 'yes' } })
    expect(response).toMatchObject({ status: 418, statusText: 'Teapot', ok: false })
    expect(response.headers.get('x-got')).toBe('yes')
    expect(await response.text()).toBe('grüß')
  })

  it('a large response is read completely, however slow its reader is', async () => {
    const text = 'x'.repeat(3_000_000)
    const url = await serve((_, response) => void response.end(text))
    const { body } = await ask(url)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await new Response(body).text()).length).toBe(text.length)
  })

  it('a compressed response is decompressed even if that was not requested', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync('{"packed":true}'))
    })
    expect(await (await ask(url)).json()).toEqual({ packed: true })
  })

  it('a request follows a redirect', async () => {
    const there = await serve((request, response) => void request.pipe(response))
    const url = await serve((_, response) => void response.writeHead(307, { location: there }).end())
    expect(await (await ask(url, post('sent on'))).text()).toBe('sent on')
  })

  it('a response that cannot be decompressed fails its reader', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end('not packed at all')
    })
    await expect(ask(url).then((response) => response.text())).rejects.toMatchObject({
      message: 'terminated',
      cause: { code: 'Z_DATA_ERROR' },
    })
  })

  it('a compressed response is read completely, however slow its reader is', async () => {
    const text = 'x'.repeat(9_000_000)
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync(text))
    })
    const { body } = await ask(url)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await new Response(body).text()).length).toBe(text.length)
  })

  it('informational responses before the final one are skipped', async () => {
    const url = await serve((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.end('the answer')
    })
    const response = await ask(url)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('the answer')
  })

  it('a response without a body is supported', async () => {
    const url = await serve((_, response) => void response.writeHead(204).end())
    expect(await (await ask(url)).text()).toBe('')
  })

  it('a refused or broken connection rejects as with fetch', async () => {
    const cut = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    })
    const { port } = new URL(cut)
    const server = createServer()
    const free = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    const reset = { cause: { code: 'UND_ERR_SOCKET' }, message: 'terminated' }
    await expect(ask(`http://127.0.0.1:${port}`).then((response) => response.text())).rejects.toMatchObject(
      reset,
    )
    await expect(ask(`http://${free}`)).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED' },
    })
  })

  it.each([
    [2000, 'timeouts.connect'],
    [DEFAULT_TIMEOUTS.connect, 'baseURL'],
  ])('a connection that is not established within %i ms fails with a fix', async (connect, fix) => {
    const clock = fakeClock()
    const greeted = Promise.withResolvers<void>()
    // accepts the connection and never answers the first message of TLS
    const address = await listen(
      createSocketServer((socket) => {
        onTestFinished(() => void socket.destroy())
        socket.once('data', () => greeted.resolve())
      }),
    )
    const rules = { ...rulesBy(clock), timeouts: { ...DEFAULT_TIMEOUTS, connect } }
    const asked = limitedFetch(undefined, rules)(`https://${address}`, post()).catch(
      (thrown: unknown) => thrown,
    )
    await greeted.promise
    await clock.advance(connect)
    expect(await asked).toMatchObject({
      failure: { code: 'model_timeout', remediation: expect.stringContaining(fix) },
      cause: { code: 'UND_ERR_CONNECT_TIMEOUT' },
    })
    expect(clock.pending()).toBe(0)
  })

  it('a response may take any time between chunks that arrive in time', async () => {
    const clock = fakeClock()
    const next: (() => void)[] = []
    const url = await serve((_, response) => {
      next.push(
        () => response.write('a'),
        () => response.write('b'),
        () => response.end('c'),
      )
      response.writeHead(200).flushHeaders()
    })
    const reader = (await limitedFetch(undefined, rulesBy(clock))(url, post('{}'))).body?.getReader()
    for (const send of next) {
      await clock.advance(DEFAULT_TIMEOUTS.idle - 1)
      send()
      expect((await reader?.read())?.done).toBe(false)
    }
    expect((await reader?.read())?.done).toBe(true)
    expect(clock.pending()).toBe(0)
  })
})

describe('the dispatcher of fetch', () => {
  const key = Symbol.for('undici.globalDispatcher.1')
  const holder = globalThis as { [key]?: unknown }
  const ask = (url: string, init: RequestInit = post('{}')): Promise<Response> =>
    limitedFetch(undefined, rulesBy())(url, init)

  /** Sets the global dispatcher and returns the previous one. */
  function setDispatcher(dispatcher: Pick<Dispatcher, 'dispatch'> | undefined): Dispatcher {
    // the first access to an API of fetch creates it
    expect(new Headers()).toBeDefined()
    const before = holder[key] as Dispatcher
    holder[key] = dispatcher
    onTestFinished(() => {
      holder[key] = before
    })
    return before
  }

  it('the dispatcher is the one that the program has set, such as a proxy', async () => {
    const url = await serve((request, response) => void request.pipe(response))
    const origins: unknown[] = []
    const own: Dispatcher = setDispatcher({
      dispatch(request, handler) {
        origins.push(request.origin)
        return own.dispatch(request, handler)
      },
    })
    expect(await (await ask(`${url}/path?query`, post('said'))).text()).toBe('said')
    expect(origins).toEqual([url])
  })

  it('the dispatcher waits as long as the timeouts allow, beyond the limits of fetch', async () => {
    const url = await serve((request, response) => void request.pipe(response))
    const waits: unknown[] = []
    const own: Dispatcher = setDispatcher(undefined)
    setDispatcher(
      own.compose((dispatch) => (request, handler) => {
        waits.push([request.headersTimeout, request.bodyTimeout])
        return dispatch(request, handler)
      }),
    )
    const timeouts = { ...DEFAULT_TIMEOUTS, firstByte: 600_000 }
    const response = await limitedFetch(undefined, { ...rulesBy(), timeouts })(url, post('said'))
    expect(await response.text()).toBe('said')
    expect(waits).toEqual([[0, 0]])
  })

  it('the dispatcher is not required', async () => {
    const url = await serve((request, response) => void request.pipe(response))
    setDispatcher(undefined)
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('by fetch')))
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(await (await ask(url)).text()).toBe('by fetch')
  })

  it('the dispatcher sends nothing on a connection that is established after the request was abandoned', async () => {
    let connect: (() => void) | undefined
    const aborted = Promise.withResolvers<void>()
    setDispatcher({
      dispatch(_, handler) {
        connect = () => handler.onConnect?.(() => aborted.resolve())
        return true
      },
    })
    const controller = new AbortController()
    const asked = ask('http://127.0.0.1:10', { ...post(), signal: controller.signal })
    await vi.waitFor(() => expect(connect).toBeDefined())
    controller.abort(REASON)
    await expect(asked).rejects.toEqual(REASON)
    connect?.()
    await aborted.promise
  })

  it('the dispatcher is not called for a request that was already aborted', async () => {
    let count = 0
    setDispatcher({ dispatch: () => (count += 1) > 0 })
    await expect(ask('http://127.0.0.1:9', { ...post(), signal: AbortSignal.abort(REASON) })).rejects.toEqual(
      REASON,
    )
    expect(count).toBe(0)
  })
})

async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  for await (const piece of body ?? []) expect(piece.length).toBeGreaterThan(0)
}
