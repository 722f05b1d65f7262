import { getRequestListener } from '@hono/node-server'
import { eventStream, type EventProducer } from '@troupe/headends'
import { deferred, fakeClock } from '@troupe/testkit/internal'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'

/** Returns a source that the test fills. */
function filledSource(): EventProducer & {
  readonly closed: Promise<void>
  put(...pieces: string[]): void
  end(): void
} {
  const pieces: string[] = []
  const closed = deferred()
  let isOver = false
  let ready = (): void => undefined
  return {
    closed: closed.promise,
    get isOver() {
      return isOver
    },
    read: () => pieces.shift(),
    onReady(listener) {
      ready = listener
      if (pieces.length > 0 || isOver) setImmediate(ready)
    },
    close: () => closed.resolve(),
    put(...more) {
      pieces.push(...more)
      ready()
    },
    end() {
      isOver = true
      ready()
    },
  }
}

async function serve() {
  const clock = fakeClock()
  const source = filledSource()
  const answer = getRequestListener((_request, { outgoing }) =>
    eventStream(source, {
      clock,
      caller: { cut: () => void outgoing.destroy() },
      headers: { 'x-stream': 'yes' },
    }),
  )
  const server = createServer((request, response) => void answer(request, response))
  await listening(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { clock, source, port: (server.address() as AddressInfo).port }
}

async function listening(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
}

/** Opens a socket that sends a request and reads only on demand. */
function asking(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n')
  onTestFinished(() => void socket.destroy())
  return socket
}

describe('server-sent events', () => {
  it('an event stream starts with its headers, sends its events and ends', async () => {
    const { source, port } = await serve()
    const response = await fetch(`http://127.0.0.1:${port}/`)
    expect(response.headers.get('x-stream')).toBe('yes')
    source.put('data: 1\n\n', 'data: 2\n\n')
    source.end()
    expect(await response.text()).toBe('data: 1\n\ndata: 2\n\n')
    await source.closed
  })

  it('an event stream sends keep-alive comments while there are no events', async () => {
    const { clock, source, port } = await serve()
    const response = await fetch(`http://127.0.0.1:${port}/`)
    await clock.advance(15_000)
    source.end()
    expect(await response.text()).toBe(': beat\n\n')
  })

  it('an event stream respects backpressure, and closes a connection that reads nothing for 30 s', async () => {
    const { clock, source, port } = await serve()
    const client = asking(port)
    const piece = `data: ${'x'.repeat(1024 * 1024)}\n\n`
    const pieces = Array.from({ length: 64 }, () => piece)
    source.put(...pieces)
    await expect.poll(() => source.read()).toBe(piece)
    await clock.advance(31_000)
    await source.closed
    expect(source.read()).toBe(piece)
    expect(client.bytesRead).toBeLessThan(64 * piece.length)
  })

  it('an event stream releases its source when the client disconnects', async () => {
    const { source, port } = await serve()
    const client = asking(port)
    await new Promise((resolve) => client.once('data', resolve))
    client.destroy()
    await source.closed
    expect(source.isOver).toBe(false)
  })
})
