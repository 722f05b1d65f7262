import type { AgentRunner, Clock, MaybePromise, Failure, RunReport, TraceContext } from '@troupe/schema'
import type { Context, Hono } from 'hono'
import type { z } from 'zod'

/** Dependencies of every headend. */
export interface HeadendContext {
  /** Runs the served agents. Other agents are unknown to it. */
  readonly runner: AgentRunner
  readonly clock: Clock
  /** Registry of the active runs of connections; `undefined` if they need not be found. */
  readonly connected?: ConnectedRuns
  /**
   * URL under which clients reach the server, without a trailing slash. Default: the origin of each request.
   */
  readonly publicUrl?: string
  /** Origins other than the server's own whose pages may call the server. */
  readonly allowedOrigins?: readonly string[]
  /**
   * Ways to authenticate, any of which is enough, for protocols that tell their clients. Empty if only a proxy
   * authenticates callers. Default: every caller is accepted.
   */
  readonly authentication?: readonly AuthenticationScheme[]
  /** Returns a new unique and unguessable id with this prefix. */
  newId(prefix: string): string
  /** Called with unexpected errors, for logging. */
  onError?(thrown: unknown): void
  /** Called with the id of each run of an earlier process that is resumed, for logging. */
  onRecover?(runId: string): void
}

/** A way to authenticate at the server. */
export type AuthenticationScheme =
  | {
      readonly type: 'bearer'
      /** Format of the token, such as `JWT`. */
      readonly format?: string
    }
  | { readonly type: 'apiKey'; readonly header: string }
  | {
      readonly type: 'openIdConnect'
      /** URL of the metadata of the identity provider. */
      readonly url: string
    }

/** A protocol over which agents are served. */
export interface Headend {
  /** Name of the protocol, used by `--no-<name>` and in the access log. */
  readonly name: string
  /**
   * The routes, for all methods of their paths. Handlers never reject because of client input. The server has
   * already checked host, origin, token and body size; the request's signal aborts when the client
   * disconnects.
   */
  readonly app: HeadendApp
  /**
   * Formats a failure for the protocol if a request fails before it reaches the headend. Default: Troupe's
   * own format.
   */
  readonly toError?: ErrorFormat
  /** A WebSocket endpoint. The server checks its connections like requests. */
  readonly socket?: HeadendSocket
  /** Returns example commands, which the server prints at startup. */
  examples?(options: ExampleOptions): readonly HeadendExample[]
  /** Descriptions of the routes for the OpenAPI document. */
  readonly operations?: readonly Operation[]
  /**
   * Called when the server shuts down, before it waits for runs. Cancels runs that wait for an answer,
   * because clients can no longer send one.
   */
  drain?(): void
  /** Closes everything that outlives single requests. */
  close?(): Promise<void>
}

/**
 * Creates the error response for a failure in the format of a protocol. `path` is the path of the request, for
 * protocols that have several formats.
 */
export type ErrorFormat = (
  reason: Failure,
  headers?: Readonly<Record<string, string>>,
  path?: string,
) => Response

/** A WebSocket endpoint of a headend. */
export interface HeadendSocket {
  /** Path without parameters, such as `/mcp/ws`. */
  readonly path: string
  /** Subprotocol that clients may request. */
  readonly protocol: string
  open(channel: Channel, caller: Caller): ChannelEnd
}

/** A message connection to one client. */
export interface Channel {
  send(text: string): void
  close(): void
}

/** The receiver of a channel's messages. */
export interface ChannelEnd {
  receive(text: string): void
  /** Called when the client has disconnected. */
  end(): void
}

/** Values to insert into example commands. */
export interface ExampleOptions {
  /** Origin of the server, such as `http://127.0.0.1:7788`. */
  readonly origin: string
  /** Name of the first served agent. */
  readonly agent: string
  /** A message for the agent, such as its `usage`. */
  readonly message: string
  /**
   * curl option that authenticates, with a trailing space and a variable in place of the token; empty if no
   * token is needed.
   */
  readonly credentials: string
}

/** An example shell command. */
export interface HeadendExample {
  /** Display name of the protocol, such as `AI SDK chat`. */
  readonly title: string
  /** URL to configure in clients. */
  readonly url: string
  readonly command: string
}

/** The description of a route for the OpenAPI document. */
export interface Operation {
  readonly method: string
  /** Path pattern in hono's syntax, such as `/v1/:agent`. */
  readonly path: string
  readonly id: string
  readonly summary: string
  readonly tag: string
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** Successful responses by status. */
  readonly answers: Readonly<Record<number, OperationAnswer>>
  /** Further error statuses. Those of every route are always included. */
  readonly errors?: readonly number[]
  /** Schema of errors. */
  readonly error: z.ZodType
}

/** A response that is not an error. */
export interface OperationAnswer {
  readonly description: string
  /** Schemas by media type, `'text'` for any text; `undefined` if there is no content. */
  readonly content?: Readonly<Record<string, z.ZodType | 'text'>>
}

/** hono's environment of a headend: the server sets the caller. */
export interface HeadendEnv {
  readonly Bindings: { readonly caller: Caller }
}

/** The routes of a headend. */
export type HeadendApp = Hono<HeadendEnv>

/** hono's context of a request, with its caller. */
export type HandlerContext = Context<HeadendEnv>

/** A handler of the requests for one path. */
export type Handler = (context: HandlerContext) => MaybePromise<Response>

/**
 * Rights of a caller. A viewer can only read, a user can also run agents and answer questions, and an operator
 * can do everything, with the runs of all principals.
 */
export type CallerRole = 'operator' | 'user' | 'viewer'

/** The client of a request, as identified by the server. */
export interface Caller {
  /** Owner of the runs, sessions and budgets. Other principals cannot see them, except operators. */
  readonly principal: string
  readonly role: CallerRole
  /** Client address that limits are counted by; `undefined` if the server does not know it. */
  readonly address?: string
  /** Trace context in the headers of the request. */
  readonly traceContext?: TraceContext
  /** Closes the connection immediately, for a client that does not read what it is sent. */
  cut(): void
}

/** Returns true for an operator of the server, who alone reads and changes cards, prompts and schedules. */
export function isOperator({ role }: Pick<Caller, 'role'>): boolean {
  return role === 'operator'
}

/** A run that belongs to a connection. */
interface ConnectedRun {
  readonly principal: string
  readonly stop: AbortController
  /** Resolves when the run has ended. Never rejects. */
  readonly done: Promise<RunReport | Failure>
}

/** Active runs that belong to connections, by run id, so that run control can stop them. */
type ConnectedRuns = Map<string, ConnectedRun>

/** Quotes a text as one shell word. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Returns a `curl` command that posts JSON. */
export function postCommand(
  url: string,
  body: unknown,
  { credentials }: { readonly credentials: string },
): string {
  return `curl -s ${credentials}-H 'Content-Type: application/json' -d ${shellQuote(JSON.stringify(body))} ${shellQuote(url)}`
}
