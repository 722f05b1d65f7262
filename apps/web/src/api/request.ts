import { isJsonObject, type FailureClass } from '@troupe/schema'

/** What the server says of a request that failed (`{error}`), or what the page says of a server that cannot be reached. */
export interface RequestFailure {
  readonly class: FailureClass
  readonly code: string
  readonly message: string
  readonly remediation?: string
}

/** An answer, or why there is none. Requests of the page never throw. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: RequestFailure }

/** How something is asked for. */
export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Asks the server that the page came from. The path is relative to it: `api/agents`. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<Answer<T>> {
  const { method = 'GET', body, signal } = options
  try {
    const response = await fetch(`./${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
    const text = await response.text()
    const value: unknown = text === '' ? undefined : JSON.parse(text)
    if (response.ok) return { ok: true, value: value as T }
    return { ok: false, failure: toFailure(value, response.status) }
  } catch (thrown) {
    return { ok: false, failure: unreachable(thrown) }
  }
}

function toFailure(value: unknown, status: number): RequestFailure {
  const error = isJsonObject(value) ? value['error'] : undefined
  if (isJsonObject(error) && typeof error['message'] === 'string') return error as unknown as RequestFailure
  return { class: 'internal', code: `http_${status}`, message: `The server answered ${status}.` }
}

function unreachable(thrown: unknown): RequestFailure {
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  return {
    class: 'network',
    code: 'server_unreachable',
    message: `The server does not answer: ${why}`,
    remediation: 'See whether `troupe serve` still runs.',
  }
}
