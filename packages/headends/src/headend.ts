import type { AgentRunner, Clock, MaybePromise } from '@troupe/schema'
import type { Caller } from './caller.ts'
import type { ConnectedRuns } from './connected-runs.ts'
import type { errorResponse } from './error-response.ts'
import type { Handler } from './handler.ts'

/** What every headend is made with. */
export interface HeadendContext {
  /** The agents that are served, and what runs them; of others it knows nothing. */
  readonly runner: AgentRunner
  readonly clock: Clock
  /** Where runs of connections are noted while they are at work; none: nobody looks for them. */
  readonly connected?: ConnectedRuns
  /** Where clients reach the server, without a slash at the end; none: where their requests say. */
  readonly publicUrl?: string
  /** Origins whose pages may call the server, beside its own. */
  readonly allowedOrigins?: readonly string[]
  /** A new id with this beginning: unique, and not to be guessed. */
  newId(prefix: string): string
  /** Told of what goes wrong beside any answer. */
  onError?(thrown: unknown): void
}

/** One protocol that agents are served over. */
export interface Headend {
  /** What switches it off: `--no-<name>`. */
  readonly name: string
  /** The paths that it answers, as patterns of hono: `/v1/:agent`. Requests for all methods come to it. */
  readonly paths: readonly string[]
  /**
   * Answers a request for one of its paths. Never rejects for what a client sends. Host, origin, token and size have been looked at before;
   * `request.signal` aborts when the client leaves.
   */
  fetch(request: Request, caller: Caller): MaybePromise<Response>
  /** What answers each of its paths, for a server with routes of its own: it rejects where `fetch` tells what was thrown. None: there is only `fetch`. */
  readonly handlers?: ReadonlyMap<string, Handler>
  /** A failure in the shape of the protocol, for what fails before it is asked. Default: our own shape. */
  readonly toError?: typeof errorResponse
  /** A path of its that clients reach by WebSocket; the server has looked at them as at requests. */
  readonly socket?: HeadendSocket
  /** What people try first; the server prints one of each headend. */
  examples?(place: ServedPlace): readonly HeadendExample[]
  /** Its operations as OpenAPI path items, by path in the spelling of OpenAPI: `/v1/{agent}`. */
  operations?(): OperationTable
  /** The server is about to end and waits for its runs: ends those that wait for an answer that no client can send any more. */
  drain?(): void
  /** Ends what it keeps open beside requests. */
  close?(): Promise<void>
}

/** Serves clients over WebSocket. */
export interface HeadendSocket {
  /** Without parameters: `/mcp/ws`. */
  readonly path: string
  /** The subprotocol that clients may ask for. */
  readonly protocol: string
  open(channel: Channel, caller: Caller): ChannelEnd
}

/** A connection to one client, message by message. */
export interface Channel {
  send(text: string): void
  close(): void
}

/** What hears of a channel. */
export interface ChannelEnd {
  receive(text: string): void
  /** The client has left. */
  end(): void
}

/** Where the server is, for examples. */
export interface ServedPlace {
  /** Such as `http://127.0.0.1:7788`. */
  readonly origin: string
  /** The entry: an agent that is surely served. */
  readonly agent: string
  /** What it can be told: its `usage`. */
  readonly message: string
  /** The curl option that authenticates, with a trailing space and a variable in place of the token; empty if no token is needed. */
  readonly credentials: string
}

/** One line to paste into a shell. */
export interface HeadendExample {
  /** The protocol, for people: `OpenAI chat completions`. */
  readonly title: string
  /** Where clients are pointed to. */
  readonly url: string
  readonly command: string
}

/** OpenAPI path items: path to method to operation. */
export type OperationTable = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** One OpenAPI operation. JSON; schemas are JSON Schema 2020-12. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly [key: string]: unknown
}
