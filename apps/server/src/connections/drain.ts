import type { Headend, RunService } from '@troupe/headends'
import type { Clock } from '@troupe/schema'
import type { Server } from 'node:http'
import type { RunAdmission } from '../runs/admission.ts'
import type { ServedSockets } from './sockets.ts'

/** The parts of a server that are shut down in order. */
interface DrainedServer {
  readonly server: Server
  readonly headends: readonly Headend[]
  readonly runService: Pick<RunService, 'drain' | 'close'>
  readonly sockets: ServedSockets
  readonly admission: RunAdmission
  readonly clock: Clock
  /** Maximum wait for runs, in ms. */
  readonly drainTimeout: number
  /** Prevents further `once` calls from starting. */
  holdOnceCalls(): void
  /** Resolves when the server must stop waiting. */
  readonly hurry: Promise<void>
}

/** Share of the drain timeout after which no `once` call starts, so that those in progress can finish. */
const ONCE_CALLS_SHARE = 0.75
/** Time for the last responses to reach their clients, in ms. */
const LAST_ANSWERS_MS = 500
/** Interval at which idle connections are closed while the last responses are sent, in ms. */
const IDLE_CHECK_MS = 25

/**
 * Shuts a server down in order. It starts no further runs and waits for active ones, while health checks and
 * run control still respond. After the timeout it interrupts the runs of run control, so that the next
 * process can resume them, and closes all other connections.
 */
export async function drainServer(drained: DrainedServer): Promise<void> {
  const { server, headends, runService, sockets, admission, clock, drainTimeout } = drained
  admission.close()
  runService.drain()
  for (const headend of headends) headend.drain?.()
  const cancelHold = clock.after(drainTimeout * ONCE_CALLS_SHARE, drained.holdOnceCalls)
  await within(Promise.race([admission.idle(), drained.hurry]), drainTimeout, clock)
  cancelHold()
  await runService.close()
  sockets.close()
  const closed = closeServer(server, clock)
  await within(Promise.race([closed, drained.hurry]), LAST_ANSWERS_MS, clock)
  await Promise.all(headends.map(async (headend) => headend.close?.()))
  sockets.cut()
  server.closeAllConnections()
  await closed
  await admission.idle()
}

/** Stops listening. Resolves when the last connection has ended; each one ends after its current response. */
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
