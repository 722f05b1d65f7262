/** A request received by a fake provider. Times are in ms of a monotonic clock. */
export interface RecordedRequest {
  /** Zero-based index. */
  readonly index: number
  /** The method of the request. */
  readonly method: string
  /** Path including the query. */
  readonly path: string
  /** The headers of the request, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Body as it was sent. */
  readonly text: string
  /** Parsed JSON body; `undefined` if it is not JSON. */
  readonly body: unknown
  /** When the request began, in ms since 1970. */
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
  /** The answers, in order of the requests. */
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

/** A tool call in the answer of a fake provider. */
export interface FakeAnswerCall {
  /** The wire name of the tool. */
  readonly name: string
  /** Text is sent unchanged, so that a test can send arguments that are not JSON. */
  readonly args: unknown
  /** True to stream the arguments and the name of the tool in one chunk (Chat Completions only). */
  readonly inOneChunk?: boolean
  /** Default: derived from the index of the request, so that it is the same in every test run. */
  readonly id?: string
}

/** A web page that a fake provider cites in its answer. */
export interface FakeCitation {
  /** The address of the source. */
  readonly url: string
  /** The title of the source. */
  readonly title: string
  /** Place in the text (Responses only). */
  readonly start: number
  /** End of the place in the text (Responses only). */
  readonly end: number
  /** Text of the page (Anthropic only). */
  readonly quote?: string
}

/** Token counts reported by a fake provider. */
export interface FakeAnswerUsage {
  /** Includes cached tokens. */
  readonly input: number
  /** Includes reasoning tokens. */
  readonly output: number
  /** Input tokens that were read from the cache. */
  readonly cacheRead?: number
  /** Input tokens that were written to the cache. */
  readonly cacheWrite?: number
  /** Output tokens for reasoning. */
  readonly reasoning?: number
}

/** Answer of a fake provider to one request. */
export interface FakeAnswer extends FakeAnswerFaults {
  /** The text of the answer. */
  readonly text?: string
  /** Tool calls of the answer. */
  readonly calls?: readonly FakeAnswerCall[]
  /** Queries that the provider searches for within its answer (Responses only). */
  readonly searches?: readonly string[]
  /** Web pages that the text cites (Responses, Anthropic and Gemini only). */
  readonly citations?: readonly FakeCitation[]
  /** Vectors of the texts (Embeddings only). Default: derived from the texts. */
  readonly vectors?: readonly (readonly number[])[]
  /** A status of 400 or more returns an error in the provider's format. */
  readonly status?: number
  /** Message of the error. */
  readonly message?: string
  /** Code of the error, for example `insufficient_quota`, if the provider's format has one. */
  readonly code?: string
  /** HTML sent in place of the error, for example the page of a proxy. */
  readonly errorPage?: string
  /** Additional response headers, for example `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Delay before the first byte, in ms. */
  readonly delayMs?: number
  /** Delays the response until the promise settles. */
  readonly until?: Promise<unknown>
  /** Default: a quarter of the characters. `none` reports no usage, if the API allows that. */
  readonly usage?: FakeAnswerUsage | 'none'
  /** Finish reason. Default: tool calls if there are any, else the end of the turn. */
  readonly finish?: 'length' | 'content-filter'
}

/**
 * Faults that occur after a number of chunks of a stream. A JSON response is sent in two halves; faults after
 * one or more chunks occur between them.
 */
interface FakeAnswerFaults {
  /** Closes the connection. */
  readonly breakAfter?: number
  /** Sends nothing more but keeps the connection open. */
  readonly stallAfter?: number
  /** Ends the response normally, but too early. */
  readonly endAfter?: number
  /** Sends one invalid chunk, then the rest. */
  readonly garbleAfter?: number
  /** Repeats the chunk at this index until the client disconnects. */
  readonly repeat?: number
  /** Sends a provider error in place of the rest, after status 200. */
  readonly failAfter?: {
    readonly chunks: number
    readonly status: number
    readonly message: string
    readonly code?: string
  }
  /** Sends JSON even if a stream is requested, like a server that cannot stream. */
  readonly neverStreams?: true
}

/**
 * Answers in the order of the requests, or a function of the request. A request beyond the list gets status
 * 400.
 */
export type FakeAnswers =
  | readonly FakeAnswer[]
  | ((request: RecordedRequest) => FakeAnswer | Promise<FakeAnswer>)

/** Splits text after spaces, like the chunks of a model. */
export function textPieces(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/gu) ?? []
}

/** Returns the usage to report: the given one, or an estimate from the number of characters. */
export function usageOf(answer: FakeAnswer, prompt: unknown): Required<FakeAnswerUsage> {
  const reported = answer.usage === 'none' ? undefined : answer.usage
  const { input, output, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = reported ?? estimate(answer, prompt)
  return { input, output, cacheRead, cacheWrite, reasoning }
}

function estimate(answer: FakeAnswer, prompt: unknown): FakeAnswerUsage {
  const said = (answer.text ?? '') + (answer.calls ?? []).map((call) => JSON.stringify(call.args)).join('')
  return { input: tokens(JSON.stringify(prompt) ?? ''), output: tokens(said) }
}

function tokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4))
}
