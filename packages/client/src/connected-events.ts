import { ApiError, invalidResponse, unreachable } from './api-error.ts'
import { readServerSentEvents, withTimeout, type ServerSentEvent } from './server-sent-events.ts'
import { isTemporary, type RequestOptions, type Transport } from './transport.ts'

/** A stream of server-sent events that is opened again when its connection is lost. */
interface EventConnection extends RequestOptions {
  readonly path: string
  readonly query?: () => object
  /** Returns the id of the last event, after which the stream continues. */
  readonly lastEventId: () => string | undefined
  /** Maximum time in ms without data. */
  readonly maxSilenceMs: number
  /** Longest delay between two attempts, in ms. Default: 15 s. */
  readonly maxDelayMs?: number
  /** Called when the connection is open, and when it is lost, with the reason, and will be opened again. */
  readonly onConnection?: ((state: 'open' | 'lost', reason?: unknown) => void) | undefined
}

/** The server, and how often a connection to it is opened again. */
export interface ConnectionContext {
  readonly transport: Transport
  /** Maximum number of attempts in a row. Default: 10. */
  readonly maxReconnects?: number | undefined
}

const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 15_000

/**
 * Yields server-sent events, and opens a lost connection again with increasing delays. Ends if the server has no more
 * events. Rejects if the server refuses, or after too many attempts in a row.
 */
export async function* connectedEvents(
  {
    path,
    query,
    lastEventId,
    signal,
    onConnection,
    maxSilenceMs,
    maxDelayMs = MAX_DELAY_MS,
  }: EventConnection,
  { transport, maxReconnects = 10 }: ConnectionContext,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let attempts = 0
  for (;;) {
    const connection = new AbortController()
    let error: unknown
    try {
      const last = lastEventId()
      const opening = transport.open(path, {
        headers: { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) },
        query: query?.(),
        signal: signal === undefined ? connection.signal : AbortSignal.any([signal, connection.signal]),
      })
      const response = await withTimeout(opening, maxSilenceMs)
      if (response.status === 204) return
      onConnection?.('open')
      yield* readEvents(response, { maxSilenceMs, onData: () => (attempts = 0) })
      error = unreachable('The connection was closed before the end of the stream.')
    } catch (thrown) {
      signal?.throwIfAborted()
      if (!isTemporary(thrown)) throw thrown
      error = thrown
    } finally {
      connection.abort()
    }
    attempts += 1
    if (attempts > maxReconnects) throw error
    onConnection?.('lost', error)
    await delay(Math.max(backoff(attempts, maxDelayMs), retryDelay(error)), signal)
  }
}

/** Yields the events of a response. Rejects with an {@link ApiError} if the connection is lost. */
async function* readEvents(
  { body }: Response,
  options: Parameters<typeof readServerSentEvents>[1],
): AsyncGenerator<ServerSentEvent, void, undefined> {
  if (body === null) throw invalidResponse('The response has no body.')
  try {
    yield* readServerSentEvents(body, options)
  } catch (thrown) {
    throw thrown instanceof ApiError ? thrown : unreachable(thrown)
  }
}

function backoff(attempt: number, maxDelayMs: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), maxDelayMs)
}

function retryDelay(error: unknown): number {
  return error instanceof ApiError ? Math.min(error.retryAfterMs ?? 0, MAX_DELAY_MS) : 0
}

/** Resolves after `ms` milliseconds. Rejects with the reason of the signal if it aborts before. */
async function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
