import { invalidResponse, parseJson } from './api-error.ts'
import { connectedEvents, type ConnectionContext } from './connected-events.ts'
import type { Change } from './openapi.generated.ts'
import type { RequestOptions } from './transport.ts'

/** Options for receiving changes. */
export interface ChangeOptions extends RequestOptions {
  /** Id of the last change that the caller has. Default: none, which begins with `reset`. */
  readonly after?: string | undefined
  /** Runs to follow on the same connection: the last `seq` that the caller has, by run id. At most 50. */
  readonly runs?: ReadonlyMap<string, number> | undefined
  /** Principal whose runs are watched, `*` for all; operators only. Default: the caller. */
  readonly principal?: string | undefined
  /** Called when the connection is open, and when it is lost, with the reason, and will be opened again. */
  readonly onConnection?: ((state: 'open' | 'lost', reason?: unknown) => void) | undefined
}

/** A change, with its id if the stream can continue after it. */
export type ReceivedChange = Change & {
  /** The position of the change, from which the stream can continue. */
  readonly id?: string
}

/** Maximum time in ms without data. The server sends a heartbeat every 5 s. */
const MAX_SILENCE_MS = 12_000
/** Longest delay between two attempts, in ms, so that a caller soon knows that the server responds again. */
const MAX_DELAY_MS = 3000

/**
 * Yields the changes of what a server lists, and the events of the followed runs. Reopens a lost connection after the
 * last change and the last events.
 */
export async function* followChanges(
  { after, runs = new Map(), principal, signal, onConnection }: ChangeOptions,
  context: ConnectionContext,
): AsyncGenerator<ReceivedChange, void, undefined> {
  let last = after
  const positions = new Map(runs)
  const sent = connectedEvents(
    {
      path: '/api/changes',
      query: () => ({
        runs: positions.size === 0 ? undefined : JSON.stringify(Object.fromEntries(positions)),
        principal,
      }),
      lastEventId: () => last,
      maxSilenceMs: MAX_SILENCE_MS,
      maxDelayMs: MAX_DELAY_MS,
      signal,
      onConnection,
    },
    context,
  )
  for await (const { data, id } of sent) {
    const change = toChange(data)
    last = id ?? last
    if (change.type === 'run' && !advance(positions, change.event)) continue
    if (change.type === 'run-over' || change.type === 'run-refused') positions.delete(change.runId)
    yield id === undefined ? change : { ...change, id }
  }
}

/** Notes the position of a run. Returns false for an event that the caller has already received. */
function advance(
  positions: Map<string, number>,
  { rootRunId, seq }: { readonly rootRunId: string; readonly seq?: number | undefined },
): boolean {
  if (seq === undefined) return true
  if (seq <= (positions.get(rootRunId) ?? 0)) return false
  positions.set(rootRunId, seq)
  return true
}

function toChange(data: string): Change {
  const change = parseJson(data)
  if (typeof change === 'object' && change !== null && 'type' in change) return change as Change
  throw invalidResponse(`The server sent an event that is not a change: ${data.slice(0, 100)}`)
}
