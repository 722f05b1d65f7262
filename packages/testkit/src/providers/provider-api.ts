import type { JsonObject } from '@troupe/schema'
import type { FakeAnswer, FakeProviderOptions, RecordedRequest } from './fake-provider.ts'

/** Rejection of a request. `code` and `param` are set if the provider's error format has them. */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly code?: string
  readonly param?: string
}

/** Response body: JSON, or the chunks of a stream. */
export type Reply =
  | { readonly json: unknown }
  | { readonly chunks: readonly (string | Uint8Array)[]; readonly contentType: string }

/** An accepted request with its answer. */
export interface FakeExchange {
  readonly request: RecordedRequest
  readonly body: JsonObject
  readonly answer: FakeAnswer
}

/** An endpoint of an API. */
export interface ProviderRoute {
  check(body: JsonObject, options: FakeProviderOptions): Refusal | undefined
  reply(exchange: FakeExchange): Reply
}

/** API of a provider, as implemented by a fake server. */
export interface ProviderApi {
  /** Path prefix with the API version. */
  readonly basePath: string
  authorise(request: RecordedRequest, options: FakeProviderOptions): Refusal | undefined
  /** Returns the endpoint at a path below the base path, for example `/messages`. */
  route(path: string): ProviderRoute | undefined
  errorBody(refusal: Refusal): unknown
  /** Returns an error within a stream, as one chunk. */
  streamError(refusal: Refusal, path: string): string | Uint8Array
  /**
   * Returns the rejection of a request over the context window. Not set if the API truncates the request
   * silently.
   */
  overflow?(tokens: number, window: number): Refusal
}

/** Estimates the number of tokens in a request. */
export function requestTokens(body: JsonObject): number {
  return Math.ceil(JSON.stringify(body).length / 4)
}

/** Creates a rejection with status 400. */
export function badRequest(message: string, extra: Partial<Refusal> = {}): Refusal {
  return { status: 400, message, ...extra }
}

/** Returns the first unknown field, if any. */
export function unknownField(
  body: JsonObject,
  known: ReadonlySet<string>,
  options: FakeProviderOptions,
): string | undefined {
  return Object.keys(body).find((key) => !known.has(key) && !(options.extraFields ?? []).includes(key))
}

/** Returns a list of objects, or an empty list for anything else. Used to check untrusted JSON. */
export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonObject[]) : []
}

/** Returns text unchanged and other values as JSON; empty if `undefined`. */
export function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Runs checks until one rejects. */
export function firstRefusal(checks: Iterable<() => Refusal | undefined>): Refusal | undefined {
  for (const check of checks) {
    const refusal = check()
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** Formats a server-sent event. `name` is for APIs that name their events. */
export function formatServerSentEvent(data: unknown, name?: string): string {
  const head = name === undefined ? '' : `event: ${name}\n`
  return `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** Content type of a server-sent event stream. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8'
