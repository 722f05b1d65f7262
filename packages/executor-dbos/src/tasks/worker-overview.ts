import type { RunTaskState } from '@troupe/schema/ports'
import type { PostgresStore } from '@troupe/store-postgres'
import { DBOS_SCHEMA, queueDepth } from './run-queues.ts'

/** State of the queues and workers of a store. Times are in ms. */
export interface WorkerOverview {
  /** Runs that have not ended, by depth. */
  readonly queues: readonly {
    readonly depth: number
    readonly queued: number
    readonly running: number
    /** Suspended runs, which wait for decisions. */
    readonly waiting: number
    /** Time that the oldest queued run has waited; `undefined` if none is queued. */
    readonly oldestMs?: number
  }[]
  /** Queues that workers have registered, by depth. */
  readonly limits: readonly {
    readonly depth: number
    /** Maximum number of concurrent runs on all workers; `undefined` if there is no limit. */
    readonly maxRuns?: number
  }[]
  readonly workers: readonly {
    readonly id: string
    readonly running: number
    readonly slots: number
    readonly upMs: number
    /** Time since the worker last reported. A worker that was killed is listed until a later start. */
    readonly seenMs: number
  }[]
  /** Root runs that have not ended, the oldest first; at most 50. */
  readonly runs: readonly {
    readonly runId: string
    readonly agent: string
    readonly state: RunTaskState
    /** Number of runs of the tree that have not ended. */
    readonly openRuns: number
    readonly ageMs: number
  }[]
}

const MAX_RUNS = 50

interface QueueRow {
  readonly depth: number
  readonly queued: string
  readonly running: string
  readonly waiting: string
  readonly oldest: number | null
}

interface WorkerRow {
  readonly id: string
  readonly running: number
  readonly slots: number
  readonly up: number
  readonly seen: number
}

interface RootTaskRow {
  readonly run_id: string
  readonly agent: string
  readonly state: RunTaskState
  readonly open: string
  readonly age: number
}

/** Returns true if workers execute a run, or have executed it. */
export async function isWorkerRun(
  store: Pick<PostgresStore, 'schema' | 'query'>,
  runId: string,
): Promise<boolean> {
  if (!(await hasTasks(store))) return false
  const found = await store.query(`SELECT 1 FROM ${store.schema}.tasks WHERE run_id = $1`, [runId])
  return found.length > 0
}

/** Returns false if the tables of the tasks do not exist yet. */
async function hasTasks({ schema, query }: Pick<PostgresStore, 'schema' | 'query'>): Promise<boolean> {
  const [known] = await query<{ tasks: string | null }>('SELECT to_regclass($1) AS tasks', [
    `${schema}.tasks`,
  ])
  return typeof known?.tasks === 'string'
}

/** Reads the state of the queues and workers. Returns empty lists if no worker has used the store yet. */
export async function readWorkerOverview(
  store: Pick<PostgresStore, 'schema' | 'query'>,
): Promise<WorkerOverview> {
  const { schema } = store
  if (!(await hasTasks(store))) return { queues: [], limits: [], workers: [], runs: [] }
  const since = (column: string): string => `(extract(epoch FROM now() - ${column}) * 1000)::float8`
  const [queues, limits, workers, runs] = await Promise.all([
    store.query<QueueRow>(
      `SELECT depth, count(*) FILTER (WHERE state = 'queued') AS queued,
         count(*) FILTER (WHERE state = 'running') AS running,
         count(*) FILTER (WHERE state = 'waiting') AS waiting,
         max(${since('created_at')}) FILTER (WHERE state = 'queued') AS oldest
       FROM ${schema}.tasks WHERE state <> 'ended' GROUP BY depth ORDER BY depth`,
    ),
    store.query<{ name: string; concurrency: number | null }>(
      `SELECT name, concurrency FROM ${DBOS_SCHEMA}.queues ORDER BY name`,
    ),
    store.query<WorkerRow>(
      `SELECT id, running, slots, ${since('started_at')} AS up, ${since('seen_at')} AS seen
       FROM ${schema}.workers ORDER BY started_at`,
    ),
    store.query<RootTaskRow>(
      `SELECT root.run_id, root.request #>> '{agent,name}' AS agent, root.state, ${since('root.created_at')} AS age,
         (SELECT count(*) FROM ${schema}.tasks AS task
          WHERE task.root_run_id = root.run_id AND task.state <> 'ended') AS open
       FROM ${schema}.tasks AS root WHERE root.parent_run_id IS NULL AND root.state <> 'ended'
       ORDER BY root.created_at LIMIT ${MAX_RUNS}`,
    ),
  ])
  return {
    queues: queues.map(({ depth, queued, running, waiting, oldest }) => ({
      depth,
      queued: Number(queued),
      running: Number(running),
      waiting: Number(waiting),
      ...(oldest === null ? {} : { oldestMs: Math.round(oldest) }),
    })),
    limits: limits.flatMap(({ name, concurrency }) => {
      const depth = queueDepth(name)
      if (depth === undefined) return []
      return [{ depth, ...(concurrency === null ? {} : { maxRuns: concurrency }) }]
    }),
    workers: workers.map(({ id, running, slots, up, seen }) => ({
      id,
      running,
      slots,
      upMs: Math.round(up),
      seenMs: Math.round(seen),
    })),
    runs: runs.map(({ run_id: runId, agent, state, open, age }) => ({
      runId,
      agent,
      state,
      openRuns: Number(open),
      ageMs: Math.round(age),
    })),
  }
}
