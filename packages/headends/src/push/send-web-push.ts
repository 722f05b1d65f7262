import { hash } from 'node:crypto'
import type { SafeFetch } from '@troupe/fetch'
import { troupeError } from '@troupe/schema'
import type { WebPushKeys, WebPushSubscription } from './web-push-store.ts'

/** A notification. A locked screen may show it, so it contains no arguments, results or messages. */
export interface WebPushMessage {
  readonly kind: 'approval' | 'question' | 'end'
  readonly agent: string
  /** Name of the tool, or the outcome of the run. */
  readonly about: string
  /** Address on the page, such as `#/runs/run_1`. */
  readonly address: string
  /** A new message with the same subject replaces the one before. */
  readonly subject: string
  /** Time after which the message is of no use, in s. */
  readonly lifetime: number
}

/** Maximum number of characters of a name. Push services accept messages of about 4,000 bytes. */
const MAX_NAME = 200
const TIMEOUT_MS = 10_000
/** Statuses of a subscription that no longer exists. */
const GONE: ReadonlySet<number> = new Set([404, 410])

/**
 * Sends a message to a browser, encrypted for it. Returns false if the subscription no longer exists. Rejects with
 * `url_refused`, `url_failed` or `url_timeout`; the error contains no part of the endpoint but its origin.
 */
export async function sendWebPush(
  { kind, agent, about, address, subject, lifetime }: WebPushMessage,
  {
    subscription: { endpoint, keys },
    vapid,
    contact,
    fetch: safeFetch,
  }: {
    readonly subscription: WebPushSubscription
    readonly vapid: WebPushKeys
    /** Address of the server, for the operators of push services. */
    readonly contact: string
    readonly fetch: SafeFetch
  },
): Promise<boolean> {
  const { default: webPush } = await import('web-push')
  const payload = { kind, agent: agent.slice(0, MAX_NAME), about: about.slice(0, MAX_NAME), address }
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys }, JSON.stringify(payload), {
    vapidDetails: { subject: contact, ...vapid },
    TTL: Math.max(0, Math.floor(lifetime)),
    urgency: kind === 'end' ? 'normal' : 'high',
    topic: hash('sha256', subject, 'base64url').slice(0, 32),
    contentEncoding: 'aes128gcm',
  })
  const { status = 0 } = await safeFetch(endpoint, {
    headers,
    body,
    anyStatus: true,
    timeout: TIMEOUT_MS,
  }).catch(() => ({ status: 0 }))
  if (GONE.has(status)) return false
  if (status >= 200 && status < 300) return true
  const { origin } = new URL(endpoint)
  const why = status === 0 ? 'it could not be reached' : `it responded with status ${status}`
  throw troupeError('url_failed', `A notification was not sent to ${origin}: ${why}.`)
}
