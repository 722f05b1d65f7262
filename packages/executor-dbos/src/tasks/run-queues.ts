import { DBOSClient } from '@dbos-inc/dbos-sdk'
import { migrateSystemDatabase } from '@dbos-inc/dbos-sdk/internal/system_database'
import { DEFAULT_PRIORITY } from '@troupe/schema/ports'
import type { PoolClient } from 'pg'
import type { Dequeue, Enqueue } from './task-table.ts'

/** Name of the workflow that executes a task. Its arguments are the run id and the number of the execution. */
export const WORKFLOW = 'troupeRun'

/**
 * Version of all workers. Constant, because a worker rescues only the workflows of its own version. The
 * versions of cards are compared by their digests.
 */
export const WORKER_VERSION = 'troupe-1'

/** Name of the application in the tables of DBOS. */
export const APPLICATION = 'troupe'

/** PostgreSQL schema of the tables of DBOS. */
export const DBOS_SCHEMA = 'troupe_dbos'

/** Default number of depths that have a queue. */
export const DEPTHS = 4

/** Limits of the queues, for runs of one depth. */
export interface QueueLimits {
  /** Concurrent runs of all workers. Default: no limit. */
  readonly globalConcurrency?: number
  /** Concurrent runs of one principal on all workers. Default: no limit. */
  readonly principalConcurrency?: number
  /** Starts within a period. Default: no limit. */
  readonly rateLimit?: { readonly runs: number; readonly perSeconds: number }
}

/**
 * Returns the name of the queue for runs of a depth. A run that waits for its children occupies a slot, so each
 * depth has slots of its own: otherwise waiting runs could occupy all of them.
 */
export function queueName(depth: number): string {
  return `troupe-${depth}`
}

/** Returns the depth of a queue; `undefined` if the name is not that of a queue for runs. */
export function queueDepth(name: string): number | undefined {
  const depth = /^troupe-(\d+)$/u.exec(name)?.[1]
  return depth === undefined ? undefined : Number(depth)
}

/** A logger that prints nothing. Errors are thrown, and reported by their callers. */
export const SILENT: Required<Pick<Console, 'debug' | 'info' | 'warn' | 'error'>> = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/** Time in ms after which PostgreSQL ends a transaction that does nothing. The default of DBOS. */
const IDLE_TRANSACTION_MS = 60_000

/**
 * Returns the address of the tables of DBOS. It sets the limit of idle transactions at the start of each
 * connection; without it, DBOS sends a statement of its own before the first one, of which `pg` warns.
 */
export function queueAddress(url: string): string {
  const address = new URL(url)
  const options = address.searchParams.get('options') ?? ''
  if (options.includes('idle_in_transaction_session_timeout')) return url
  const limit = `-c idle_in_transaction_session_timeout=${IDLE_TRANSACTION_MS}`
  address.searchParams.set('options', `${options} ${limit}`.trim())
  return address.href
}

function workflowId(runId: string, execution: number): string {
  return execution === 1 ? runId : `${runId}#${execution}`
}

/** Queues executions for the workers. */
export interface RunQueues {
  readonly enqueue: Enqueue
  readonly dequeue: Dequeue
  /** Deletes the workflows of ended tasks. */
  forget(tasks: readonly { readonly runId: string; readonly executions: number }[]): Promise<void>
  close(): Promise<void>
}

/** Creates or updates the tables of DBOS. Only one process may do so at a time. */
export function migrateQueues(url: string): Promise<void> {
  // `DBOS.migrate` would print to stdout.
  return migrateSystemDatabase(url, SILENT as never, DBOS_SCHEMA)
}

/** Connects to the tables of DBOS. */
export async function openRunQueues({
  url,
  poolSize,
}: {
  readonly url: string
  readonly poolSize: number
}): Promise<RunQueues> {
  const client = await DBOSClient.create({
    systemDatabaseUrl: queueAddress(url),
    systemDatabaseSchemaName: DBOS_SCHEMA,
    systemDatabasePoolSize: poolSize,
    applicationName: APPLICATION,
    logger: SILENT,
  })
  return {
    async enqueue(connection: PoolClient, executions) {
      for (const { runId, number, depth, partition, priority, delaySeconds } of executions)
        await client.enqueueInTransaction<(runId: string, execution: number) => Promise<void>>(
          connection,
          {
            workflowName: WORKFLOW,
            workflowID: workflowId(runId, number),
            queueName: queueName(depth),
            queuePartitionKey: partition,
            appVersion: WORKER_VERSION,
            // DBOS starts workflows without a priority before all others.
            priority: priority ?? DEFAULT_PRIORITY,
            ...(delaySeconds === undefined ? {} : { delaySeconds }),
          },
          runId,
          number,
        )
    },
    dequeue: (runIds) => client.cancelWorkflows(runIds.map((runId) => workflowId(runId, 1))),
    forget: (tasks) =>
      client.deleteWorkflows(
        tasks.flatMap(({ runId, executions }) =>
          Array.from({ length: executions }, (_, index) => workflowId(runId, index + 1)),
        ),
      ),
    close: () => client.destroy(),
  }
}
