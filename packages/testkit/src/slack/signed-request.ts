import { createHmac } from 'node:crypto'
import type { JsonObject } from '@troupe/schema'

/** Options to sign a request, and to make it invalid. */
export interface SignedRequestOptions {
  readonly signingSecret: string
  /** In seconds since 1970. Default: now. */
  readonly timestamp?: number
  /** Replaces the correct signature. */
  readonly signature?: string
  /** Sends a form, as for commands (`fields`) or clicks (`payload`, as JSON). Default: JSON. */
  readonly form?: 'fields' | 'payload'
  /** Number of the retry. */
  readonly retry?: number
}

/** Sends a body like Slack over HTTP: with a `v0` signature over the raw bytes. */
export async function sendSigned(
  url: string,
  body: JsonObject,
  options: SignedRequestOptions,
): Promise<Response> {
  const { timestamp = Math.floor(Date.now() / 1000), signingSecret, retry } = options
  const raw = encode(body, options.form)
  const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${raw}`).digest('hex')
  return fetch(url, {
    method: 'POST',
    body: raw,
    headers: {
      'content-type': options.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': options.signature ?? `v0=${digest}`,
      ...(retry === undefined
        ? {}
        : { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': 'http_timeout' }),
    },
  })
}

function encode(body: JsonObject, form: SignedRequestOptions['form']): string {
  if (form === undefined) return JSON.stringify(body)
  if (form === 'payload') return new URLSearchParams({ payload: JSON.stringify(body) }).toString()
  return new URLSearchParams(
    Object.entries(body).map(([key, value]): [string, string] => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString()
}
