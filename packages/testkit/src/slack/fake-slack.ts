import type { JsonObject } from '@troupe/schema'
import type { FakeMessage } from './fake-message.ts'
import type { FakeFile, OfferedFile } from './fake-files.ts'
import type { FakeSocketMode } from './fake-socket-mode.ts'
import { createHmac } from 'node:crypto'

/** Options of a fake Slack. */
export interface FakeSlackOptions {
  /** Default: `ACME`. */
  readonly workspaces?: readonly FakeWorkspace[]
  /** Default: `xapp-fake-000000000000`. */
  readonly appToken?: string
  /** Default: `fake-signing-secret-000`. */
  readonly signingSecret?: string
  /**
   * Event subscriptions of the app, as named in its manifest. Sending other events throws. Default: all
   * events.
   */
  readonly events?: readonly string[]
}

/** A call of the Web API. */
export interface SlackCall {
  readonly method: string
  readonly team: string | undefined
  readonly args: JsonObject
  /** `undefined` if the call succeeded. */
  readonly error?: string
}

/**
 * A fake Slack on the loopback interface: Web API, Socket Mode and signed HTTP, with the limits of the real
 * one.
 */
export interface FakeSlack {
  /** Value for `slackApiUrl`. */
  readonly apiUrl: string
  readonly appToken: string
  readonly signingSecret: string
  readonly socket: FakeSocketMode
  /** All calls so far, in order. */
  readonly calls: readonly SlackCall[]
  /** Returns the messages in order, without deleted ones. */
  messages(): readonly FakeMessage[]
  readonly files: readonly FakeFile[]
  /** Opened modals. */
  readonly views: readonly JsonObject[]
  /** Bodies posted to response URLs. */
  readonly responses: readonly JsonObject[]
  readonly responseUrl: string
  /** Returns a new trigger id, as created by a user action. */
  trigger(): string
  /** Makes the next `times` calls of a method fail with 429. */
  limit(method: string, options: { readonly times: number; readonly retryAfter: number }): void
  /** Makes the next call of a method fail. */
  fail(method: string, error: string): void
  /** Executes the next call of a method but never sends its response. */
  hold(method: string): void
  /** Ends all streams, as Slack does after minutes without an update. */
  expireStreams(): void
  /** Creates a file in the form in which a user's message contains it. */
  offer(file: OfferedFile): JsonObject
  /** Sends a signed body to a URL of the app. */
  post(
    url: string,
    body: JsonObject,
    options?: Omit<SignedRequestOptions, 'signingSecret'>,
  ): Promise<Response>
  /** Resolves when the condition is true. Checks it after every call. */
  until(condition: (slack: FakeSlack) => boolean): Promise<void>
  close(): Promise<void>
}

/** A channel of a fake workspace. Ids of direct messages begin with `D`. */
export interface FakeChannel {
  readonly id: string
  readonly name?: string
}

/** A workspace in which the app is installed. */
export interface FakeWorkspace {
  readonly team: string
  readonly botToken: string
  readonly botUser: string
  readonly botId: string
  readonly channels: readonly FakeChannel[]
  /** Scopes of the bot token. Default: all scopes. */
  readonly scopes?: readonly string[]
}

/** One workspace with two channels and a direct message. */
export const ACME: FakeWorkspace = {
  team: 'T0ACME',
  botToken: 'xoxb-acme-000000000000',
  botUser: 'U0BOT',
  botId: 'B0BOT',
  channels: [{ id: 'C0GENERAL', name: 'general' }, { id: 'C0OPS', name: 'ops-alerts' }, { id: 'D0ANN' }],
}

/** Returns true for a direct message channel. */
export function isDirect(channel: string): boolean {
  return channel.startsWith('D')
}

/** Options to sign a request, and to make it invalid. */
interface SignedRequestOptions {
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
