import type { JsonObject } from '@troupe/schema'
import type { FakeMessage } from './fake-message.ts'
import type { FakeWorkspace } from './fake-workspace.ts'
import type { FakeFile, OfferedFile } from './file-shelf.ts'
import type { SignedRequestOptions } from './signed-request.ts'
import type { SocketDesk } from './socket-desk.ts'

/** How a fake Slack is set up. */
export interface FakeSlackOptions {
  /** Default: `ACME`. */
  readonly workspaces?: readonly FakeWorkspace[]
  /** Default: `xapp-fake-000000000000`. */
  readonly appToken?: string
  /** Default: `fake-signing-secret-000`. */
  readonly signingSecret?: string
  /** The events that the app has subscribed to, as its manifest names them; others are never sent. None: all are. */
  readonly events?: readonly string[]
}

/** A call of the Web API. */
export interface SlackCall {
  readonly method: string
  readonly team: string | undefined
  readonly args: JsonObject
  /** None: it was done. */
  readonly error?: string
}

/** A Slack on this machine: the Web API, Socket Mode and signed HTTP, with the limits of the real one. */
export interface FakeSlack {
  /** Goes into `slackApiUrl`. */
  readonly apiUrl: string
  readonly appToken: string
  readonly signingSecret: string
  readonly socket: SocketDesk
  /** In order; grows. */
  readonly calls: readonly SlackCall[]
  /** In order; what was deleted is gone. */
  messages(): readonly FakeMessage[]
  readonly files: readonly FakeFile[]
  /** Modals that were opened. */
  readonly views: readonly JsonObject[]
  /** What came to response addresses. */
  readonly responses: readonly JsonObject[]
  readonly responseUrl: string
  /** The trigger of something that a person does now. */
  trigger(): string
  /** The next `times` calls of a method are answered with 429. */
  limit(method: string, options: { readonly times: number; readonly retryAfter: number }): void
  /** The next call of a method is refused. */
  fail(method: string, error: string): void
  /** The next call of a method is done, and its answer never comes. */
  hold(method: string): void
  /** Ends all streams, as Slack does when nothing is added for minutes. */
  expireStreams(): void
  /** A file as it stands in a message of a person. */
  offer(file: OfferedFile): JsonObject
  /** Sends a body to an address of the app, signed. */
  post(
    url: string,
    body: JsonObject,
    options?: Omit<SignedRequestOptions, 'signingSecret'>,
  ): Promise<Response>
  /** Resolves when the condition holds; it is looked at after every call. */
  until(condition: (slack: FakeSlack) => boolean): Promise<void>
  close(): Promise<void>
}
