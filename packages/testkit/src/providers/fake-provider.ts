import type { Answers } from './answer.ts'

/** One request as a fake provider got it. Times are ms of a monotonic clock. */
export interface RecordedRequest {
  /** From 0. */
  readonly index: number
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON; undefined where there was none. */
  readonly body: unknown
  readonly startedAt: number
  /** None while the answer is on its way. */
  readonly endedAt?: number
  /** The client closed the connection before the answer was whole. */
  readonly isAbandoned?: boolean
}

/** A provider's HTTP API on the loopback interface. */
export interface FakeProvider {
  /** With the version path, as a base URL of the product is. */
  readonly baseURL: string
  /** In order; grows. Refused requests are among them. */
  readonly requests: readonly RecordedRequest[]
  /** The most requests that were open at once. */
  readonly maxInFlight: number
  /** Cuts every connection. */
  close(): Promise<void>
}

/** What a fake provider is started with. */
export interface FakeProviderOptions {
  readonly answers: Answers
  /** The only key it takes. Default: any. */
  readonly apiKey?: string
  /** Tokens that a request may have, a quarter of the characters of its body; one that has more is refused. Default: any number. */
  readonly contextWindow?: number
  /** Fields of a request that it takes beside those of the real API, for services that extend it. */
  readonly extraFields?: readonly string[]
}
