import type { Server } from 'node:http'
import type { Headend, RunDesk } from '@troupe/headends'
import type { Clock } from '@troupe/schema'
import type { Admission } from './admission.ts'
import type { ServedSockets } from './sockets.ts'

/** The parts of a server that end in order when it shuts down. */
export interface DrainedServer {
  readonly server: Server
  readonly headends: readonly Headend[]
  readonly desk: Pick<RunDesk, 'drain' | 'close'>
  readonly sockets: ServedSockets
  readonly admission: Admission
  readonly clock: Clock
  /** Longest time to wait for runs, in ms. */
  readonly drainTimeout: number
  /** Lets no further `once` call start. */
  holdOnceCalls(): void
  /** Resolves when the server must stop waiting. */
  readonly hurry: Promise<void>
}

/** Share of the drain timeout after which no `once` call starts, so that those in progress can finish. */
const ONCE_CALLS_SHARE = 0.75
/** How long the last answers have to reach their clients, in ms. */
const LAST_ANSWERS_MS = 500
/** Interval at which idle connections are closed while the last responses are sent, in ms. */
const IDLE_CHECK_MS = 25

/**
 * Ends a server in order. It starts no further run and waits for those at work, while it goes on listening: health checks and clients that look
 * at their runs are answered. When the time is over, it interrupts the runs of run control, so that the next process can resume them, and cuts
 * the connections of all others.
 */
export async function drainServer(drained: DrainedServer): Promise<void> {
  const { server, headends, desk, sockets, admission, clock, drainTimeout } = drained
  admission.close()
  desk.drain()
  for (const headend of headends) headend.drain?.()
  const cancelHold = clock.after(drainTimeout * ONCE_CALLS_SHARE, drained.holdOnceCalls)
  await within(Promise.race([admission.idle(), drained.hurry]), drainTimeout, clock)
  cancelHold()
  await desk.close()
  sockets.close()
  const closed = closeServer(server, clock)
  await within(Promise.race([closed, drained.hurry]), LAST_ANSWERS_MS, clock)
  await Promise.all(headends.map(async (headend) => headend.close?.()))
  sockets.cut()
  server.closeAllConnections()
  await closed
  await admission.idle()
}

/** Stops listening, and resolves when the last connection has ended: each one ends after the answer that is on its way. */
function closeServer(server: Server, clock: Pick<Clock, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    let cancel: (() => void) | undefined
    const closeIdle = (): void => {
      server.closeIdleConnections()
      cancel = clock.after(IDLE_CHECK_MS, closeIdle)
    }
    server.close(() => {
      cancel?.()
      resolve()
    })
    closeIdle()
  })
}

/** Resolves when the work is done or the time is over. */
async function within(work: Promise<void>, ms: number, clock: Pick<Clock, 'after'>): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.after(ms, resolve)
    void work.then(() => {
      cancel()
      resolve()
    })
  })
}
