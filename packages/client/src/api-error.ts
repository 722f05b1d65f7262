import type { Failure } from './openapi.generated.ts'

/**
 * A code of the server, or of the client: `server_unreachable` if there is no response, `response_invalid` if
 * the response is not one of a Troupe server.
 */
export type ApiErrorCode = Failure['code'] | 'server_unreachable' | 'response_invalid'

/** Fields of an {@link ApiError}. */
interface ApiErrorFields {
  readonly class: Failure['class']
  readonly code: ApiErrorCode
  readonly message: string
  readonly remediation: string
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
}

/** A request that failed. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly class: Failure['class']
  /** The stable error code, for matching. */
  readonly code: ApiErrorCode
  /** Advice on how to fix the error. */
  readonly remediation: string
  /** HTTP status; `undefined` if there is no response. */
  readonly status: number | undefined
  /** Time in ms after which another attempt may succeed; `undefined` if the server names none. */
  readonly retryAfterMs: number | undefined

  constructor(fields: ApiErrorFields, options?: { readonly cause?: unknown }) {
    super(fields.message, options)
    this.class = fields.class
    this.code = fields.code
    this.remediation = fields.remediation
    this.status = fields.status
    this.retryAfterMs = fields.retryAfterMs
  }
}

/** Creates the error of a request without a response, or of a connection that was lost. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError(
    {
      class: 'network',
      code: 'server_unreachable',
      message: `The server does not respond: ${cause instanceof Error ? messageOf(cause) : String(cause)}`,
      remediation: 'Check that `troupe serve` is running.',
    },
    { cause },
  )
}

/** Returns the message of an error with its cause, because `fetch` of Node only says `fetch failed`. */
function messageOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message
}

/** Creates the error of a response that a Troupe server does not send, such as the page of a proxy. */
export function invalidResponse(
  message: string,
  { cause, ...fields }: Pick<ApiErrorFields, 'status' | 'retryAfterMs'> & { readonly cause?: unknown } = {},
): ApiError {
  return new ApiError(
    {
      class: 'network',
      code: 'response_invalid',
      message,
      remediation: 'Check that the URL is that of a Troupe server, and whether a proxy changes responses.',
      ...fields,
    },
    cause === undefined ? undefined : { cause },
  )
}

/** Creates the error of a response with an error status. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const more = { status, retryAfterMs: retryDelay(headers.get('retry-after')) }
  const failure = failureIn(parseJson(await response.text()))
  if (failure !== undefined) return new ApiError({ ...failure, ...more })
  return invalidResponse(`The server responded with status ${status}.`, more)
}

/** Returns the failure in the body of a response; `undefined` if there is none. */
function failureIn(body: unknown): Failure | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined
  const { error } = body
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error))
    return undefined
  return typeof error.code === 'string' && typeof error.message === 'string' ? (error as Failure) : undefined
}

/** Parses JSON. Returns `undefined` for other text, such as the page of a proxy. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Converts the header `Retry-After`, a number of seconds or a date, to a time in ms from now. */
function retryDelay(header: string | null): number | undefined {
  if (header === null || header === '') return undefined
  const ms = /^\d+$/u.test(header) ? Number(header) * 1000 : new Date(header).getTime() - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
