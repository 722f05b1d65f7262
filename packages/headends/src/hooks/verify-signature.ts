import { failure, type Failure } from '@troupe/schema'
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** A signed request, before anything in it is parsed. */
export interface SignedRequest {
  readonly headers: Headers
  readonly body: Uint8Array
  readonly secret: string
  /** Current wall time in ms. */
  readonly now: number
}

/** Maximum difference between the time of sending and now, in ms. */
const TOLERANCE_MS = 5 * 60_000
const LONGEST_ID = 256
/** A sender that changes its secret sends one signature for each. */
const MOST_SIGNATURES = 10
const BASE64_SECRET = 'whsec_'

/**
 * Verifies the HMAC-SHA256 signature of a request: that of Standard Webhooks, or `X-Hub-Signature-256` as
 * GitHub sends it. Returns an id of the delivery that the signature covers, or the failure.
 */
export function verifySignature(request: SignedRequest): string | Failure {
  const { headers } = request
  if (headers.has('webhook-signature')) return verifyStandard(request)
  const signature = headers.get('x-hub-signature-256')
  if (signature === null)
    return invalid('The request has neither `webhook-signature` nor `X-Hub-Signature-256`.')
  const [, hex] = /^sha256=([0-9a-f]{64})$/iu.exec(signature) ?? []
  if (hex === undefined || !isEqual(sign(request.secret, request.body), Buffer.from(hex, 'hex')))
    return invalid('X-Hub-Signature-256: the signature does not match the body.')
  // no id of this format is signed, so a repeated delivery is known by its body
  return `body:${createHash('sha256').update(request.body).digest('hex')}`
}

function verifyStandard({ headers, body, secret, now }: SignedRequest): string | Failure {
  const id = headers.get('webhook-id') ?? ''
  const timestamp = headers.get('webhook-timestamp') ?? ''
  if (id === '' || id.length > LONGEST_ID)
    return invalid(`webhook-id: must have 1 to ${LONGEST_ID} characters.`)
  if (!/^\d{1,12}$/u.test(timestamp)) return invalid('webhook-timestamp: must be a time in seconds.')
  const expected = sign(secret, `${id}.${timestamp}.`, body)
  const matches = (headers.get('webhook-signature') ?? '')
    .split(' ', MOST_SIGNATURES)
    .map((entry) => entry.split(','))
    .filter(([version, value = '']) => version === 'v1' && isEqual(expected, Buffer.from(value, 'base64')))
  if (matches.length === 0) return invalid('webhook-signature: no signature matches the body.')
  // checked after the signature, so that only the sender learns whether the clocks differ
  if (Math.abs(now - Number(timestamp) * 1000) > TOLERANCE_MS)
    return invalid('webhook-timestamp: the request was sent more than 5 minutes ago, or the clocks differ.')
  return `id:${id}`
}

function sign(secret: string, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const key = secret.startsWith(BASE64_SECRET)
    ? Buffer.from(secret.slice(BASE64_SECRET.length), 'base64')
    : secret
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

function isEqual(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given)
}

function invalid(message: string): Failure {
  return failure('signature_invalid', message)
}
