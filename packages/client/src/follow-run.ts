import { invalidResponse, parseJson } from './api-error.ts'
import { connectedEvents, type ConnectionContext } from './connected-events.ts'
import type { RunEvent } from './openapi.generated.ts'
import type { RequestOptions } from './transport.ts'

/** Options for receiving the events of a run. */
export interface FollowOptions extends RequestOptions {
  /** The `seq` of the last event that the caller has. Default: 0, which receives all events. */
  readonly after?: number | undefined
  /** Called when the connection is open, and when it is lost and will be opened again. */
  readonly onConnection?: ((state: 'open' | 'lost') => void) | undefined
}

/** Maximum time in ms without data. The server sends a heartbeat every 15 s. */
const MAX_SILENCE_MS = 45_000

/**
 * Yields the events of a run tree from a position to the end of its root run. Reopens a lost connection after
 * the last event, so that each event with a `seq` is yielded exactly once and in order.
 */
export async function* followRun(
  runId: string,
  { after = 0, signal, onConnection }: FollowOptions,
  context: ConnectionContext,
): AsyncGenerator<RunEvent, void, undefined> {
  let last = after
  const sent = connectedEvents(
    {
      path: `/api/runs/${encodeURIComponent(runId)}/events`,
      lastEventId: () => (last === 0 ? undefined : `${last}`),
      maxSilenceMs: MAX_SILENCE_MS,
      signal,
      onConnection,
    },
    context,
  )
  for await (const { event: type, data } of sent) {
    // `lagged` says that deltas are missing
    if (type !== 'message') continue
    const event = toEvent(data)
    if (event.seq !== undefined && event.seq <= last) continue
    last = event.seq ?? last
    yield event
    if (isRootEnd(event)) return
  }
}

/** The event that ends a run. */
export type RootRunEnd = Extract<RunEvent, { readonly type: 'run-end' }>

/** Returns true for the last event of a run tree. */
export function isRootEnd(event: RunEvent): event is RootRunEnd {
  return event.type === 'run-end' && event.runId === event.rootRunId
}

function toEvent(data: string): RunEvent {
  const event = parseJson(data)
  if (typeof event === 'object' && event !== null && 'type' in event) return event as RunEvent
  throw invalidResponse(`The server sent an event that is not a run event: ${data.slice(0, 100)}`)
}
