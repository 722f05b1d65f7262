import { createHmac } from 'node:crypto'
import type { JsonObject } from '@troupe/schema'

/** How a request of Slack is made, and how it may be wrong. */
export interface SignedRequestOptions {
  readonly signingSecret: string
  /** In seconds since 1970; default: now. */
  readonly timestamp?: number
  /** In place of the right one. */
  readonly signature?: string
  /** Sent as a form, as commands and clicks are: `payload` holds clicks as JSON. Default: JSON. */
  readonly form?: 'fields' | 'payload'
  /** The number of this repetition. */
  readonly retry?: number
}

/** Sends a body as Slack does over HTTP: signed with `v0` over the raw bytes. */
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
