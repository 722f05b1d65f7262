import { ApiError, errorOf, invalidResponse, parseJson, unreachable } from './api-error.ts'
import type { operations } from './openapi.generated.ts'

/** Options of a client. */
export interface ClientOptions {
  /**
   * Base URL of the server, such as `http://127.0.0.1:7788`. A page of the server itself can use a relative one,
   * such as `.`.
   */
  readonly url: string
  /** Token of the caller, or a function that returns it for each request. Default: none. */
  readonly token?: string | (() => string | Promise<string>)
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Maximum number of attempts in a row to reconnect a stream before it fails. Default: 10. */
  readonly maxReconnects?: number
}

/** Id of an operation in the OpenAPI document of the server. */
type OperationId = keyof operations

/** Responses of an operation by status. */
type Responses<Id extends OperationId> = operations[Id]['responses']

/** The JSON that an operation responds with. */
export type AnswerOf<Id extends OperationId> = {
  [Status in keyof Responses<Id>]: Responses<Id>[Status] extends {
    readonly content: { readonly 'application/json': infer Answer }
  }
    ? Answer
    : never
}[keyof Responses<Id>]

/** Fields of a request. Optional ones may be `undefined`, which leaves them out. */
type RequestFields<T> = {
  [Key in keyof T]: T[Key] | (Pick<T, Key> extends Required<Pick<T, Key>> ? never : undefined)
}

/** The query of an operation. */
export type QueryOf<Id extends OperationId> = RequestFields<
  NonNullable<operations[Id]['parameters']['query']>
>

/** The JSON body of an operation. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  readonly requestBody: { readonly content: { readonly 'application/json': infer Body } }
}
  ? RequestFields<Body>
  : never

/** Options of one request. */
export interface RequestOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined
}

/** A request to the server. */
interface ApiRequest extends RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly query?: object | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends requests to one server. */
export interface Transport {
  /** Sends a request. Rejects with {@link ApiError} if there is no response, or one with an error status. */
  open(path: string, request: ApiRequest): Promise<Response>
  /** Sends a request and returns the JSON of its response. */
  request<Id extends OperationId>(path: string, request?: ApiRequest): Promise<AnswerOf<Id>>
}

/** Creates the transport of a client. */
export function createTransport({
  url,
  token,
  headers: shared = {},
  fetch: send = globalThis.fetch,
}: ClientOptions): Transport {
  const base = url.replace(/\/+$/u, '')

  async function open(
    path: string,
    { method = 'GET', query, body, headers, signal }: ApiRequest,
  ): Promise<Response> {
    const bearer = typeof token === 'function' ? await token() : token
    const response = await send(`${base}${path}${toQuery(query)}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...shared,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((thrown: unknown) => {
      signal?.throwIfAborted()
      throw unreachable(thrown)
    })
    if (response.ok) return response
    throw await errorOf(response)
  }

  return {
    open,
    async request(path, options = {}) {
      const response = await open(path, options)
      const text = await response.text().catch((thrown: unknown) => {
        options.signal?.throwIfAborted()
        throw unreachable(thrown)
      })
      const value = parseJson(text)
      if (typeof value === 'object' && value !== null) return value as never
      throw invalidResponse('The response is not JSON.', { status: response.status })
    },
  }
}

/** Formats a query, with its question mark. Fields that are `undefined` are left out. */
function toQuery(query: object = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value))
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

/** Returns true for an error after which another attempt may succeed. */
export function isTemporary(thrown: unknown): boolean {
  if (!(thrown instanceof ApiError)) return false
  return thrown.code === 'server_unreachable' || TEMPORARY.has(thrown.status ?? 0)
}

/** Statuses of a server, or of a proxy in front of it, that is overloaded or restarts. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504])
