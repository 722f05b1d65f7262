// Clients that follow the events of one run, in a process of their own so that they do not slow the server down. They use sockets and a reader of two
// fields, because an HTTP client for each would need more than the server. Takes one order and sends one report.
import { connect, type Socket } from 'node:net'
import { seededRandom } from './seeded-random.ts'
import { createIdReader } from './id-reader.ts'

/** The clients to start. */
export interface FollowOrder {
  readonly port: number
  readonly runId: string
  readonly readers: number
  /** How many send a request and never read. */
  readonly silent: number
  /** One reader in this many is disconnected repeatedly and reconnects with its last event id. */
  readonly cutEvery: number
  readonly seed: number
}

/** The observations of the readers. */
export interface FollowReport {
  /** How many readers reached the end. */
  readonly ended: number
  /** Persisted events of all readers that were duplicated, missing or out of order. */
  readonly wrong: number
  readonly events: number
  readonly cuts: number
  /** How often a reader was notified of missed deltas. */
  readonly lagged: number
  /** The last `seq` of each reader; all must be equal. */
  readonly last: readonly number[]
  /** The number of persisted events by delay in ms, of those that occurred after their reader had connected. */
  readonly lags: Readonly<Record<number, number>>
}

process.once('message', (order: FollowOrder) => void followAll(order))
process.on('disconnect', () => process.exit())

async function followAll(order: FollowOrder): Promise<void> {
  for (let count = 0; count < order.silent; count += 1) ignore(order)
  const random = seededRandom(order.seed)
  const lags: Record<number, number> = {}
  const readers = Array.from({ length: order.readers }, (_, index) =>
    follow(order, {
      lags,
      patience: index % order.cutEvery === 0 ? () => 10 + Math.floor(random() * 100) : () => Infinity,
    }),
  )
  const seen = await Promise.all(readers)
  const sum = (of: (one: Seen) => number): number => seen.reduce((total, one) => total + of(one), 0)
  process.send?.({
    ended: seen.length,
    wrong: sum((one) => one.wrong),
    events: sum((one) => one.events),
    cuts: sum((one) => one.cuts),
    lagged: sum((one) => one.lagged),
    last: [...new Set(seen.map((one) => one.last))],
    lags,
  } satisfies FollowReport)
}

interface Seen {
  last: number
  wrong: number
  events: number
  cuts: number
  lagged: number
}

async function follow(
  order: FollowOrder,
  { lags, patience }: { readonly lags: Record<number, number>; patience(): number },
): Promise<Seen> {
  const seen: Seen = { last: 0, wrong: 0, events: 0, cuts: 0, lagged: 0 }
  while (!(await readSome(order, { seen, lags, most: patience() }))) seen.cuts += 1
  return seen
}

/** Reads to the end (true), or disconnects after so many persisted events (false). */
function readSome(
  order: FollowOrder,
  { seen, lags, most }: { readonly seen: Seen; readonly lags: Record<number, number>; readonly most: number },
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const since = Date.now()
    const socket = ask(order, seen.last)
    let left = most
    let isLeft = false
    const read = createIdReader({
      onEvent(id, time) {
        if (isLeft) return
        if (id !== seen.last + 1) seen.wrong += 1
        seen.last = id
        seen.events += 1
        if (time >= since) {
          const lag = Date.now() - time
          lags[lag] = (lags[lag] ?? 0) + 1
        }
        left -= 1
        isLeft = left <= 0
      },
      onLagged: () => void (seen.lagged += 1),
    })
    let tail = ''
    socket.on('data', (piece) => {
      read(piece)
      tail = (tail + piece.subarray(-7).toString('latin1')).slice(-7)
      if (isLeft) socket.destroy()
      // a whole answer: chunks to the end, or none at all (204)
      else if (tail === '\r\n0\r\n\r\n' || piece.toString('latin1', 0, 12) === 'HTTP/1.1 204') {
        socket.destroy()
        resolve(true)
      }
    })
    socket.once('error', reject)
    // closed by the server or by this client
    socket.once('close', () => resolve(false))
  })
}

/** Sends a request and never reads. */
function ignore(order: FollowOrder): void {
  ask(order, 0).on('error', () => {
    // the server closed the connection, as expected
  })
}

function ask({ port, runId }: FollowOrder, last: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' })
  const lines = [
    `GET /api/runs/${runId}/events HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'accept: text/event-stream',
    ...(last === 0 ? [] : [`last-event-id: ${last}`]),
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return socket
}
