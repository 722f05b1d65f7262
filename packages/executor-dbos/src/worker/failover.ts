import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor'
import { Client } from 'pg'
import type { Clock } from '@troupe/schema'
import { APPLICATION, DBOS_SCHEMA } from '../tasks/run-queues.ts'

/** Time in ms between two searches for workers that have gone. */
const SWEEP_MS = 300

/** The lock that shows that a worker is alive. */
export interface WorkerLock {
  /** Stops searching for other workers, and releases the lock. */
  close(): Promise<void>
}

/**
 * Takes the lock of this worker on a connection of its own, and puts the runs of workers whose lock is free
 * back into the queue, again and again. `onLost` is called once if the connection is lost: other workers then
 * take over the runs of this one.
 */
export async function holdWorkerLock({
  url,
  worker,
  clock,
  onLost,
  onError,
}: {
  readonly url: string
  readonly worker: string
  readonly clock: Clock
  onLost(reason: unknown): void
  onError(thrown: unknown): void
}): Promise<WorkerLock> {
  const client = new Client({ connectionString: url, keepAlive: true, application_name: 'troupe worker' })
  let isClosed = false
  let cancelSweep: (() => void) | undefined
  let sweeping: Promise<void> | undefined
  const lose = (reason: unknown): void => {
    if (isClosed) return
    isClosed = true
    cancelSweep?.()
    onLost(reason)
  }
  client.on('error', lose)
  client.on('end', () => lose(new Error('The connection that holds the lock of the worker has ended.')))
  await client.connect()
  await client.query('SELECT pg_advisory_lock($1)', [await keyOf(client, worker)])

  async function sweep(): Promise<void> {
    const { rows } = await client.query<{ id: string }>(
      `SELECT DISTINCT executor_id AS id FROM "${DBOS_SCHEMA}".workflow_status
       WHERE status = 'PENDING' AND application_name = $1 AND executor_id <> $2`,
      [APPLICATION, worker],
    )
    for (const { id } of rows) await takeOver(id)
  }

  async function takeOver(id: string): Promise<void> {
    const key = await keyOf(client, id)
    const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [key])
    if (rows[0]?.free !== true) return
    try {
      await DBOSExecutor.globalInstance?.recoverPendingWorkflows([id])
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [key])
    }
  }

  function sweepLater(): void {
    cancelSweep = clock.after(SWEEP_MS, () => {
      sweeping = sweep()
        .catch((thrown: unknown) => {
          if (!isClosed) onError(thrown)
        })
        .finally(() => {
          if (!isClosed) sweepLater()
        })
    })
  }

  sweepLater()
  return {
    async close() {
      isClosed = true
      cancelSweep?.()
      await sweeping
      await client.end()
    },
  }
}

/** Returns the key of the advisory lock of a worker. */
async function keyOf(client: Client, worker: string): Promise<string> {
  const { rows } = await client.query<{ key: string }>(
    `SELECT hashtextextended('troupe worker ' || $1, 0) AS key`,
    [worker],
  )
  return rows[0]?.key ?? '0'
}
