import { ApiError, invalidResponse, parseJson, unreachable } from './api-error.ts'
import type { RunEvent } from './openapi.generated.ts'
import { readServerSentEvents, withTimeout } from './server-sent-events.ts'
import { isTemporary, type RequestOptions, type Transport } from './transport.ts'

/** Options for receiving the events of a run. */
export interface FollowOptions extends RequestOptions {
  /** The `seq` of the last event that the caller has. Default: 0, which receives all events. */
  readonly after?: number | undefined
  /** Called when the connection is open, and when it is lost and will be opened again. */
  readonly onConnection?: ((state: 'open' | 'lost') => void) | undefined
}

/** Maximum time in ms without data. The server sends a heartbeat every 15 s. */
const MAX_SILENCE_MS = 45_000
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 15_000

/**
 * Yields the events of a run tree from a position to the end of its root run. Reopens a lost connection after
 * the last event, with increasing delays, so that each event with a `seq` is yielded exactly once and in order.
 */
export async function* followRun(
  runId: string,
  { after = 0, signal, onConnection }: FollowOptions,
  {
    transport,
    maxReconnects = 10,
  }: { readonly transport: Transport; readonly maxReconnects?: number | undefined },
): AsyncGenerator<RunEvent, void, undefined> {
  const path = `/api/runs/${encodeURIComponent(runId)}/events`
  let last = after
  let attempts = 0
  for (;;) {
    const connection = new AbortController()
    let error: unknown
    try {
      const opening = transport.open(path, {
        headers: { accept: 'text/event-stream', ...(last === 0 ? {} : { 'last-event-id': `${last}` }) },
        signal: signal === undefined ? connection.signal : AbortSignal.any([signal, connection.signal]),
      })
      const response = await withTimeout(opening, MAX_SILENCE_MS)
      if (response.status === 204) return
      onConnection?.('open')
      for await (const event of readEvents(response, () => (attempts = 0))) {
        if (event.seq !== undefined && event.seq <= last) continue
        last = event.seq ?? last
        yield event
        if (isRootEnd(event)) return
      }
      error = unreachable('The connection was closed before the run ended.')
    } catch (thrown) {
      signal?.throwIfAborted()
      if (!isTemporary(thrown)) throw thrown
      error = thrown
    } finally {
      connection.abort()
    }
    attempts += 1
    if (attempts > maxReconnects) throw error
    onConnection?.('lost')
    await delay(Math.max(backoff(attempts), retryDelay(error)), signal)
  }
}

/** The event that ends a run. */
export type RootRunEnd = Extract<RunEvent, { readonly type: 'run-end' }>

/** Returns true for the last event of a run tree. */
export function isRootEnd(event: RunEvent): event is RootRunEnd {
  return event.type === 'run-end' && event.runId === event.rootRunId
}

/** Yields the run events of a response. Rejects with an {@link ApiError} if the connection is lost. */
async function* readEvents(
  { body }: Response,
  onData: () => void,
): AsyncGenerator<RunEvent, void, undefined> {
  if (body === null) throw invalidResponse('The response has no body.')
  try {
    for await (const { event, data } of readServerSentEvents(body, { maxSilenceMs: MAX_SILENCE_MS, onData }))
      // `lagged` says that deltas are missing
      if (event === 'message') yield toEvent(data)
  } catch (thrown) {
    throw thrown instanceof ApiError ? thrown : unreachable(thrown)
  }
}

function toEvent(data: string): RunEvent {
  const event = parseJson(data)
  if (typeof event === 'object' && event !== null && 'type' in event) return event as RunEvent
  throw invalidResponse(`The server sent an event that is not a run event: ${data.slice(0, 100)}`)
}

function backoff(attempt: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS)
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
