import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection between the browser and the server that a test can break. */
export interface Proxy {
  readonly url: string
  /** Forwards connections to the server at this address. */
  connectTo(url: string): void
  /** Breaks all connections and refuses new ones, as a killed server does. */
  kill(): Promise<void>
  /** Keeps all connections open and forwards nothing more, like a network failure. */
  freeze(): void
  /** Forwards new data again. Connections from before stay broken. */
  revive(): Promise<void>
}

/** Opens a proxy on a free port of this machine until the test ends. */
export async function openProxy(): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let port = 0
  let target = 0
  let isFrozen = false
  // connections of an earlier era are broken
  let era = 0
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    const born = era
    const isAlive = (): boolean => !isFrozen && born === era
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (data) => isAlive() && to.write(data))
      from.on('end', () => isAlive() && to.end())
      from.on('close', () => sockets.delete(from))
      // broken connections are expected in these tests
      from.on('error', () => to.destroy())
    }
  })
  const listen = (): Promise<void> =>
    new Promise((resolve) => {
      server.listen(port, '127.0.0.1', () => resolve())
    })
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      breakAll()
    })
  await listen()
  port = (server.address() as AddressInfo).port
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${port}`,
    connectTo: (url) => {
      target = Number(new URL(url).port)
    },
    kill: close,
    freeze: () => {
      isFrozen = true
      era += 1
    },
    async revive() {
      isFrozen = false
      if (!server.listening) await listen()
    },
  }
}
