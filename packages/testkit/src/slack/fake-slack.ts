import type { JsonObject } from '@troupe/schema'
import type { FakeMessage } from './fake-message.ts'
import type { FakeWorkspace } from './fake-workspace.ts'
import type { FakeFile, OfferedFile } from './fake-files.ts'
import type { SignedRequestOptions } from './signed-request.ts'
import type { FakeSocketMode } from './fake-socket-mode.ts'

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
