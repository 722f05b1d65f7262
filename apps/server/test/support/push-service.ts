import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
  type ECDH,
} from 'node:crypto'
import { createSafeFetch, type SafeFetch } from '@troupe/fetch'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { onTestFinished } from 'vitest'

/** Address of the push service as browsers name it. */
const PUSH_ORIGIN = 'https://push.example.com'

/** A message that the push service received. */
interface ReceivedPush {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A push service on this machine, and the browsers that use it. */
export interface PushService {
  readonly received: readonly ReceivedPush[]
  /** Sends requests for the push service to this machine, and refuses all others. */
  readonly fetch: SafeFetch
  /** Status of the responses. */
  status: number
}

/** Starts a push service until the test ends. */
export async function startPushService(): Promise<PushService> {
  const received: ReceivedPush[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(service.status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const safeFetch = createSafeFetch({ clock: SYSTEM_CLOCK })
  const service: PushService = {
    received,
    status: 201,
    fetch: (url, rules) =>
      url.startsWith(PUSH_ORIGIN)
        ? safeFetch(url.replace(PUSH_ORIGIN, `http://127.0.0.1:${port}`), {
            ...rules,
            allowHttp: true,
            allowPrivate: true,
          })
        : safeFetch(url, rules),
  }
  return service
}

/** The keys of a browser. */
export interface BrowserKeys {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
  /** Decrypts a message by RFC 8291 and RFC 8188. */
  decrypt(body: Buffer): unknown
}

/** Creates a browser that is subscribed with this name. */
export function createBrowser(name: string): BrowserKeys {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  const auth = randomBytes(16)
  return {
    endpoint: `${PUSH_ORIGIN}/send/${name}`,
    keys: { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') },
    decrypt: (body) => JSON.parse(decrypt(body, { ecdh, auth })) as unknown,
  }
}

function decrypt(body: Buffer, { ecdh, auth }: { readonly ecdh: ECDH; readonly auth: Buffer }): string {
  const salt = body.subarray(0, 16)
  const senderKey = body.subarray(21, 21 + (body[20] ?? 0))
  const encrypted = body.subarray(21 + senderKey.length)
  const derive = (secret: Buffer, key: Buffer, info: Buffer, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, key, info, length))
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey])
  const secret = derive(ecdh.computeSecret(senderKey), auth, keyInfo, 32)
  const contentKey = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce)
  decipher.setAuthTag(encrypted.subarray(-16))
  const padded = Buffer.concat([decipher.update(encrypted.subarray(0, -16)), decipher.final()])
  // The last record ends with the octet 2 and zeros.
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

/** Checks the signature of a VAPID header by RFC 8292. Returns the claims and the public key. */
export function readVapid(header: string): { readonly claims: unknown; readonly publicKey: string } {
  const [, token = '', publicKey = ''] = /^vapid t=(\S+), ?k=(\S+)$/u.exec(header) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isValid) throw new Error('The signature is not valid.')
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) as unknown, publicKey }
}
