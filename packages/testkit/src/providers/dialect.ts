import type { JsonObject } from '@troupe/schema'
import type { Answer } from './answer.ts'
import type { FakeProviderOptions, RecordedRequest } from './fake-provider.ts'

/** Why a request is refused; `code` and `param` where the provider's error shape has them. */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly code?: string
  readonly param?: string
}

/** What goes over the wire: one JSON text, or the chunks of a stream. */
export type Reply =
  | { readonly json: unknown }
  | { readonly chunks: readonly string[]; readonly contentType: string }

/** A request that was accepted, with the answer it gets. */
export interface Exchange {
  readonly request: RecordedRequest
  readonly body: JsonObject
  readonly answer: Answer
}

/** One address of an API. */
export interface Route {
  check(body: JsonObject, options: FakeProviderOptions): Refusal | undefined
  reply(exchange: Exchange): Reply
}

/** What tells one provider's API from another. */
export interface Dialect {
  /** The version path. */
  readonly basePath: string
  authorise(request: RecordedRequest, options: FakeProviderOptions): Refusal | undefined
  /** The address behind the base path, such as `/messages`. */
  route(path: string): Route | undefined
  errorBody(refusal: Refusal): unknown
  /** An error in the middle of a stream, as one chunk. */
  streamError(refusal: Refusal, path: string): string
  /** What it says of a request that is too long; none: it leaves out the beginning and says nothing. */
  overflow?(tokens: number, window: number): Refusal
}

/** About as many tokens as the request has. */
export function requestTokens(body: JsonObject): number {
  return Math.ceil(JSON.stringify(body).length / 4)
}

/** A 400. */
export function badRequest(message: string, extra: Partial<Refusal> = {}): Refusal {
  return { status: 400, message, ...extra }
}

/** The first field that is not known, if any. */
export function unknownField(
  body: JsonObject,
  known: ReadonlySet<string>,
  options: FakeProviderOptions,
): string | undefined {
  return Object.keys(body).find((key) => !known.has(key) && !(options.extraFields ?? []).includes(key))
}

/** A list of objects; anything else is empty. Checks read foreign JSON through this. */
export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonObject[]) : []
}

/** Foreign JSON as text: itself where it is text, else its JSON, empty where there is none. */
export function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Runs checks until one refuses. */
export function firstRefusal(checks: Iterable<() => Refusal | undefined>): Refusal | undefined {
  for (const check of checks) {
    const refusal = check()
    if (refusal !== undefined) return refusal
  }
  return undefined
}
