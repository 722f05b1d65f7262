import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { PARROT, serveTeam } from './support/serve-team.ts'

/** From 22.21 and 24.9 on, Node distinguishes requests that require a protocol upgrade from those that only offer one. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isHeeded = major === 22 ? minor >= 21 : major === 24 ? minor >= 9 : major > 24

const OFFER = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'

/** Sends a hand-written request and returns the answer, up to where `isWhole` is true or the connection ends. */
function exchange(
  url: string,
  {
    head,
    body = '',
    isWhole,
  }: { readonly head: string; readonly body?: string; isWhole?(text: string): boolean },
): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head}Host: ${hostname}:${port}\r\n\r\n${body}`),
    )
    let text = ''
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      if (isWhole?.(text) === true) socket.end()
    })
    socket.on('close', () => resolve(text)).on('error', reject)
  })
}

it.skipIf(!isHeeded)('a client that offers an upgrade to HTTP/2 gets a normal response', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const isWhole = (text: string): boolean => text.endsWith('\r\n\r\nHello')
  const asked = await exchange(url, { head: `GET /v1/Parrot?q=Hello HTTP/1.1\r\n${OFFER}`, isWhole })
  expect(asked).toMatch(/^HTTP\/1\.1 200 /u)
  const body = '{"q":"Hello"}'
  const kind = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  const posted = await exchange(url, { head: `POST /v1/Parrot HTTP/1.1\r\n${kind}${OFFER}`, body, isWhole })
  expect(posted).toMatch(/^HTTP\/1\.1 200 /u)
})

it('an HTTP/1.0 client gets a stream without chunked encoding until the connection closes', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  const text = await exchange(url, { head: 'GET /v1/Parrot?q=Hi HTTP/1.0\r\nAccept: text/event-stream\r\n' })
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/su)
  expect(head).toMatch(/^HTTP\/1\.1 200 /u)
  expect(head.toLowerCase()).not.toContain('transfer-encoding')
  expect(body).toMatch(/^id: 1\ndata: \{/u)
  expect(body).toMatch(/event: report\ndata: \{.*\}\n\n$/su)
})
