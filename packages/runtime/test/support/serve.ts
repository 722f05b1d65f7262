import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request that a test server received. */
interface ReceivedRequest {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Starts a server on the loopback interface that is closed after the test. */
export async function serve(listener: RequestListener): Promise<{
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
}> {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url: path, headers } = request
      requests.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
      listener(request, response)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** Returns a listener that responds with one body. */
export function respond(body: string | Buffer, contentType = 'text/html'): RequestListener {
  return (_request, response) => response.setHeader('content-type', contentType).end(body)
}
