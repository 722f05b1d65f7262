import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A push notification as it was received. */
interface ReceivedPush {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly json: Readonly<Record<string, unknown>>
}

/** A receiver of push notifications. */
export interface PushReceiver {
  readonly port: number
  readonly url: string
  readonly received: readonly ReceivedPush[]
  /** Resolves when a notification meets the condition. */
  until(condition: (push: ReceivedPush) => boolean): Promise<ReceivedPush>
}

/** Starts a receiver on loopback. `answer` returns the status for the nth request, or `undefined` to never respond. */
export async function receivePushes(
  answer: (count: number) => number | undefined = () => 200,
): Promise<PushReceiver> {
  const received: ReceivedPush[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { url = '', headers } = request
      received.push({ url, headers, body, json: JSON.parse(body) as ReceivedPush['json'] })
      const status = answer(received.length)
      if (status !== undefined) response.writeHead(status, { location: '/elsewhere' }).end()
      for (const check of waiting) check()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    until: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = received.find(condition)
          if (found === undefined) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
      }),
  }
}
