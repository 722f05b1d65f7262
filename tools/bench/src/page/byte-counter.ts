import { connect, createServer, type AddressInfo } from 'node:net'

/** A proxy in front of a server that counts the bytes of its responses, also those to workers of a page. */
export interface ByteCounter {
  readonly url: string
  /** Number of bytes since the last call. */
  take(): number
  connectTo(url: string): void
  close(): void
}

/** Opens a proxy on a free port of this machine. */
export async function openByteCounter(): Promise<ByteCounter> {
  let bytes = 0
  let target = 0
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    upstream.on('data', (data) => (bytes += data.length))
    client.pipe(upstream)
    upstream.pipe(client)
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = bytes
      bytes = 0
      return taken
    },
    connectTo: (url) => void (target = Number(new URL(url).port)),
    close: () => void server.close(),
  }
}
