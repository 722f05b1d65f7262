import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { CERTIFICATE, KEY } from './certificate.ts'

/** Starts a server on the loopback interface that is closed after the test. */
export async function serve(
  listener: RequestListener,
  { secure = false }: { readonly secure?: boolean } = {},
): Promise<{
  readonly port: number
  readonly requests: readonly string[]
  readonly headers: readonly NodeJS.Dict<string | string[]>[]
}> {
  const requests: string[] = []
  const headers: NodeJS.Dict<string | string[]>[] = []
  const heard: RequestListener = (request, response) => {
    requests.push(request.url ?? '')
    headers.push(request.headers)
    listener(request, response)
  }
  const server = secure ? createSecureServer({ cert: CERTIFICATE, key: KEY }, heard) : createServer(heard)
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
  return { port: (server.address() as AddressInfo).port, requests, headers }
}
