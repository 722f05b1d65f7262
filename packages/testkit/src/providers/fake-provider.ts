import type { FakeAnswers } from './fake-answer.ts'

/** A request received by a fake provider. Times are in ms of a monotonic clock. */
export interface RecordedRequest {
  /** Zero-based index. */
  readonly index: number
  readonly method: string
  /** Path including the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON body; `undefined` if it is not JSON. */
  readonly body: unknown
  readonly startedAt: number
  /** `undefined` while the response is being sent. */
  readonly endedAt?: number
  /** True if the client closed the connection before the end of the response. */
  readonly isAbandoned?: boolean
}

/** A fake provider API on the loopback interface. */
export interface FakeProvider {
  /** Base URL including the version path. */
  readonly baseURL: string
  /** All requests so far in order, including rejected ones. */
  readonly requests: readonly RecordedRequest[]
  /** Maximum number of concurrent requests so far. */
  readonly maxInFlight: number
  /** Closes all connections and the server. */
  close(): Promise<void>
}

/** Options of a fake provider. */
export interface FakeProviderOptions {
  readonly answers: FakeAnswers
  /** The only accepted key. Default: any key. */
  readonly apiKey?: string
  /**
   * Maximum number of tokens in a request, estimated as a quarter of the characters of its body. Larger
   * requests are rejected. Default: no limit.
   */
  readonly contextWindow?: number
  /** Request fields accepted in addition to those of the real API, to imitate services that extend it. */
  readonly extraFields?: readonly string[]
}
