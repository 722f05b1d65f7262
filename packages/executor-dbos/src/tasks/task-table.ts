import type { PoolClient } from 'pg'
import { troupeError, type Failure } from '@troupe/schema'
import type {
  Ancestor,
  RunDecision,
  RunRequest,
  RunTask,
  RunTaskState,
  RunTreeSettings,
} from '@troupe/schema/ports'
import type { PostgresStore } from '@troupe/store-postgres'
import { capsOfTree, type StoredCaps } from './stored-caps.ts'

/** One execution of a task, to be queued. Each suspension starts a further execution. */
export interface Execution {
  readonly runId: string
  /** 1-based number. */
  readonly number: number
  readonly depth: number
  /** Key of the partition of the queue: the principal. */
  readonly partition: string
  /** Priority of its run tree. Default: 100. */
  readonly priority?: number
  readonly delaySeconds?: number
}

/** Queues executions in the transaction of a client. */
export type Enqueue = (client: PoolClient, executions: readonly Execution[]) => Promise<void>

/** Removes the first executions of tasks from the queues. */
export type Dequeue = (runIds: readonly string[]) => Promise<void>

/** State of a task, and what it waits for. */
export interface TaskStatus {
  readonly state: RunTaskState
  /** True if a worker has started it. */
  readonly isStarted: boolean
  /** Open approvals of a suspended task. */
  readonly waitsFor: readonly string[]
  readonly isCancelled: boolean
  /** The reason why an ended task has no stored result. */
  readonly failure?: Failure
}

/** A task that an execution works on. */
export interface StartedTask {
  readonly task: RunTask
  /** 1-based number of this start. An execution starts again when another worker continues it. */
  readonly start: number
  readonly isCancelled: boolean
  readonly decisions: readonly RunDecision[]
  /** Caps of the runs above it, and of the budget of the root run, lowest first. */
  readonly capsAbove: readonly StoredCaps[]
  /** True if an earlier start has counted on budgets. */
  readonly hasBudget: boolean
}

/** The tasks of all run trees, in tables beside those of the store. */
export interface TaskTable {
  /** Adds the root task of a run tree. Does nothing if it is known. */
  addRoot(task: RunTask): Promise<void>
  /**
   * Adds child runs of one run tree, in order. A known one stays as it is. `runs_exceeded`: the run tree has
   * used up its runs.
   */
  addChildren(requests: readonly RunRequest[]): Promise<readonly ('added' | 'known' | 'runs_exceeded')[]>
  /**
   * Starts an execution, or continues it on another worker. Returns `undefined` if it is outdated or the task
   * has ended. Throws `internal` if the request contradicts that of its parent.
   */
  start(runId: string, execution: number, worker: string): Promise<StartedTask | undefined>
  /** Suspends a task. If one of the approvals is already decided, or the task is cancelled, queues it again. */
  suspend(runId: string, execution: number, approvalIds: readonly string[]): Promise<void>
  /** Ends a task. `failure` is the reason if no result is stored. */
  end(runId: string, execution: number, failure?: Failure): Promise<void>
  /** Queues a task again after a delay, for a worker with the cards of its run. */
  postpone(runId: string, execution: number, delaySeconds: number): Promise<void>
  /** Stores a decision and queues the tasks that wait for it. Returns false if it was decided before. */
  decide(decision: RunDecision): Promise<boolean>
  /** Cancels tasks of one run tree and all below them. `withdrawn`: a root task that no worker had started. */
  cancel(runIds: readonly string[]): Promise<'cancelled' | 'withdrawn' | 'ended'>
  /** Returns true if a run that this one has started has not ended. */
  hasOpenChildren(runId: string): Promise<boolean>
  /** Returns the status of tasks by run id. */
  find(runIds: readonly string[]): Promise<ReadonlyMap<string, TaskStatus>>
  /** Returns the decisions on calls of a run. */
  decisionsOf(runId: string): Promise<readonly RunDecision[]>
}

interface TaskRow {
  readonly run_id: string
  readonly depth: number
  readonly partition: string
  readonly execution: number
  readonly priority: number | null
}

/** Creates the table. `channel` gets a notification for each change: `changed RUN` or `decided RUN`. */
export function createTaskTable({
  store,
  channel,
  enqueue,
  dequeue,
}: {
  readonly store: Pick<PostgresStore, 'schema' | 'transaction' | 'query'>
  readonly channel: string
  readonly enqueue: Enqueue
  readonly dequeue: Dequeue
}): TaskTable {
  const { schema, query, transaction } = store

  /** Serialises the changes of one run tree until the transaction ends. */
  async function lockTree(client: PoolClient, rootRunId: string): Promise<TreeRow | undefined> {
    const { rows } = await client.query<TreeRow>(
      `SELECT runs, max_runs FROM ${schema}.trees WHERE root_run_id = $1 FOR UPDATE`,
      [rootRunId],
    )
    return rows[0]
  }

  async function notify(client: PoolClient, change: TaskChange, runIds: readonly string[]): Promise<void> {
    await client.query('SELECT pg_notify($1, $2 || id) FROM unnest($3::text[]) AS id', [
      channel,
      `${change} `,
      runIds,
    ])
  }

  async function insert(client: PoolClient, requests: readonly RunRequest[], tree?: RunTreeSettings) {
    const { rows } = await client.query<TaskRow>(
      `INSERT INTO ${schema}.tasks AS task (run_id, root_run_id, parent_run_id, depth, partition, request, tree)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::json[], $7::json[])
       ON CONFLICT (run_id) DO NOTHING
       RETURNING ${rowColumns(schema)}`,
      [
        requests.map(({ runId }) => runId),
        requests.map(({ rootRunId }) => rootRunId),
        requests.map(({ parentRunId }) => parentRunId ?? null),
        requests.map(({ ancestry }) => ancestry.length),
        requests.map(({ principal }) => toPartition(principal)),
        requests.map((request) => JSON.stringify(request)),
        requests.map(() => (tree === undefined ? null : JSON.stringify(tree))),
      ],
    )
    return rows
  }

  async function enqueueRows(
    client: PoolClient,
    rows: readonly TaskRow[],
    delaySeconds?: number,
  ): Promise<void> {
    await enqueue(
      client,
      rows.map(({ run_id: runId, execution: number, depth, partition, priority }) => ({
        runId,
        number,
        depth,
        partition,
        ...(priority === null ? {} : { priority }),
        ...(delaySeconds === undefined ? {} : { delaySeconds }),
      })),
    )
  }

  /** Queues suspended tasks again, as a new execution. `where` has the parameters `values` from $1 on. */
  async function requeue(
    client: PoolClient,
    where: string,
    values: readonly unknown[],
    delaySeconds?: number,
  ): Promise<readonly TaskRow[]> {
    const { rows } = await client.query<TaskRow>(
      `UPDATE ${schema}.tasks AS task SET state = 'queued', execution = execution + 1, waits_for = '{}'
       WHERE ${where} RETURNING ${rowColumns(schema)}`,
      [...values],
    )
    await enqueueRows(client, rows, delaySeconds)
    await notify(
      client,
      'changed',
      rows.map(({ run_id: runId }) => runId),
    )
    return rows
  }

  async function rootOf(client: PoolClient, runId: string): Promise<string | undefined> {
    const { rows } = await client.query<{ root: string }>(
      `SELECT root_run_id AS root FROM ${schema}.tasks WHERE run_id = $1`,
      [runId],
    )
    return rows[0]?.root
  }

  async function decisionsOf(runId: string): Promise<readonly RunDecision[]> {
    const rows = await query<DecisionRow>(
      `SELECT root_run_id, run_id, approval_id, decision FROM ${schema}.decisions WHERE run_id = $1`,
      [runId],
    )
    return rows.map(toDecision)
  }

  return {
    addRoot: (task) =>
      transaction(async (client) => {
        const { request, tree } = task
        await client.query(
          `INSERT INTO ${schema}.trees (root_run_id, max_runs) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
          [request.runId, tree.maxRuns],
        )
        await enqueueRows(client, await insert(client, [request], tree))
      }),

    addChildren: (requests) =>
      transaction(async (client) => {
        const ids = requests.map(({ runId }) => runId)
        const tree = await lockTree(client, requests[0]?.rootRunId ?? '')
        const { rows: knownRows } = await client.query<{ run_id: string }>(
          `SELECT run_id FROM ${schema}.tasks WHERE run_id = ANY($1)`,
          [ids],
        )
        const known = new Set(knownRows.map(({ run_id: id }) => id))
        const free = tree === undefined ? 0 : tree.max_runs - tree.runs
        const added = requests.filter(({ runId }) => !known.has(runId)).slice(0, Math.max(0, free))
        if (added.length > 0) {
          await client.query(`UPDATE ${schema}.trees SET runs = runs + $2 WHERE root_run_id = $1`, [
            requests[0]?.rootRunId,
            added.length,
          ])
          await enqueueRows(client, await insert(client, added))
        }
        const addedIds = new Set(added.map(({ runId }) => runId))
        return ids.map((id) => (known.has(id) ? 'known' : addedIds.has(id) ? 'added' : 'runs_exceeded'))
      }),

    async start(runId, execution, worker) {
      const [row] = await query<StartedRow>(
        `WITH started AS (
           UPDATE ${schema}.tasks AS task
           SET state = 'running', worker = $3, starts = task.starts + 1, started_at = coalesce(task.started_at, now())
           FROM ${schema}.tasks AS root
           WHERE task.run_id = $1 AND task.execution = $2 AND task.state IN ('queued', 'running')
             AND root.run_id = task.root_run_id
           RETURNING task.request, root.tree, task.cancelled, task.starts, task.parent_run_id
         )
         SELECT request, tree, cancelled, starts, pg_notify($4, $5),
           (SELECT parent.request FROM ${schema}.tasks AS parent WHERE parent.run_id = started.parent_run_id) AS parent,
           (SELECT share.caps FROM ${schema}.budget_shares AS share WHERE share.run_id = started.parent_run_id) AS caps,
           EXISTS (SELECT 1 FROM ${schema}.budget_shares AS share WHERE share.run_id = $1) AS has_budget,
           (SELECT coalesce(json_agg(decisions), '[]') FROM ${schema}.decisions WHERE run_id = $1) AS decisions
         FROM started`,
        [runId, execution, worker, channel, `changed ${runId}`],
      )
      if (row === undefined) return undefined
      requireAncestry(row)
      return {
        task: { request: row.request, tree: row.tree },
        start: row.starts,
        isCancelled: row.cancelled,
        decisions: row.decisions.map(toDecision),
        capsAbove: row.parent === null ? capsOfTree(row.tree) : (row.caps ?? []),
        hasBudget: row.has_budget,
      }
    },

    suspend: (runId, execution, approvalIds) =>
      transaction(async (client) => {
        const rootRunId = await rootOf(client, runId)
        if (rootRunId === undefined) return
        await lockTree(client, rootRunId)
        const where = `run_id = $1 AND execution = $2 AND state = 'running'`
        const requeued = await requeue(
          client,
          `${where} AND (cancelled OR EXISTS (SELECT 1 FROM ${schema}.decisions WHERE approval_id = ANY($3)))`,
          [runId, execution, approvalIds],
        )
        if (requeued.length > 0) return
        await client.query(`UPDATE ${schema}.tasks SET state = 'waiting', waits_for = $3 WHERE ${where}`, [
          runId,
          execution,
          approvalIds,
        ])
        await notify(client, 'changed', [runId])
      }),

    async end(runId, execution, failure) {
      await query(
        `WITH ended AS (
           UPDATE ${schema}.tasks SET state = 'ended', ended_at = now(), failure = $3
           WHERE run_id = $1 AND execution = $2 AND state <> 'ended' RETURNING run_id
         ) SELECT pg_notify($4, 'changed ' || run_id) FROM ended`,
        [runId, execution, failure === undefined ? null : JSON.stringify(failure), channel],
      )
    },

    postpone: (runId, execution, delaySeconds) =>
      transaction(async (client) => {
        await requeue(
          client,
          `run_id = $1 AND execution = $2 AND state = 'running'`,
          [runId, execution],
          delaySeconds,
        )
      }),

    decide: ({ rootRunId, runId, approvalId, decision }) =>
      transaction(async (client) => {
        await lockTree(client, rootRunId)
        const { rowCount } = await client.query(
          `INSERT INTO ${schema}.decisions (approval_id, root_run_id, run_id, decision)
           VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
          [approvalId, rootRunId, runId, JSON.stringify(decision)],
        )
        if (rowCount === 0) return false
        await requeue(client, `root_run_id = $1 AND state = 'waiting' AND $2 = ANY(waits_for)`, [
          rootRunId,
          approvalId,
        ])
        await notify(client, 'decided', [runId])
        return true
      }),

    async cancel(runIds) {
      const unstartedIds: string[] = []
      const state = await transaction(async (client) => {
        const rootRunId = await rootOf(client, runIds[0] ?? '')
        if (rootRunId === undefined) return 'ended'
        await lockTree(client, rootRunId)
        // A run that no worker has started ends here.
        const { rows: unstarted } = await client.query<{ run_id: string }>(
          `${below(schema)} UPDATE ${schema}.tasks AS task SET state = 'ended', ended_at = now(), cancelled = true
           FROM below WHERE task.run_id = below.run_id AND task.state = 'queued' AND task.started_at IS NULL
           RETURNING task.run_id`,
          [runIds],
        )
        unstartedIds.push(...unstarted.map(({ run_id: id }) => id))
        await notify(client, 'changed', unstartedIds)
        if (unstartedIds.includes(rootRunId)) return 'withdrawn'
        const { rows } = await client.query<{ run_id: string }>(
          `${below(schema)} UPDATE ${schema}.tasks AS task SET cancelled = true
           FROM below WHERE task.run_id = below.run_id AND task.state <> 'ended' RETURNING task.run_id`,
          [runIds],
        )
        const ids = rows.map(({ run_id: id }) => id)
        // A suspended run continues, to write its end.
        await requeue(client, `run_id = ANY($1) AND state = 'waiting'`, [ids])
        await notify(client, 'changed', ids)
        return ids.length + unstartedIds.length === 0 ? 'ended' : 'cancelled'
      })
      // If this fails, a worker takes the execution from its queue and finds nothing to do.
      if (unstartedIds.length > 0) await dequeue(unstartedIds).catch(() => undefined)
      return state
    },

    async hasOpenChildren(runId) {
      const rows = await query(
        `SELECT 1 FROM ${schema}.tasks WHERE parent_run_id = $1 AND state <> 'ended' LIMIT 1`,
        [runId],
      )
      return rows.length > 0
    },

    async find(runIds) {
      const rows = await query<StatusRow>(
        `SELECT run_id, state, waits_for, cancelled, failure, started_at IS NOT NULL AS started
         FROM ${schema}.tasks WHERE run_id = ANY($1)`,
        [runIds],
      )
      return new Map(
        rows.map(
          ({
            run_id: runId,
            state,
            waits_for: waitsFor,
            cancelled: isCancelled,
            started: isStarted,
            failure,
          }) => [
            runId,
            { state, isStarted, waitsFor, isCancelled, ...(failure === null ? {} : { failure }) },
          ],
        ),
      )
    },

    decisionsOf,
  }
}

/** A change of a task, as the first word of a notification. */
type TaskChange = 'changed' | 'decided'

interface TreeRow {
  readonly runs: number
  readonly max_runs: number
}

interface StartedRow {
  readonly request: RunRequest
  readonly tree: RunTreeSettings
  readonly cancelled: boolean
  readonly starts: number
  readonly parent: RunRequest | null
  readonly caps: readonly StoredCaps[] | null
  readonly has_budget: boolean
  readonly decisions: readonly DecisionRow[]
}

interface DecisionRow {
  readonly root_run_id: string
  readonly run_id: string
  readonly approval_id: string
  readonly decision: RunDecision['decision']
}

interface StatusRow {
  readonly run_id: string
  readonly state: RunTaskState
  readonly waits_for: readonly string[]
  readonly cancelled: boolean
  readonly started: boolean
  readonly failure: Failure | null
}

function toDecision({
  root_run_id: rootRunId,
  run_id: runId,
  approval_id: approvalId,
  decision,
}: DecisionRow): RunDecision {
  return { rootRunId, runId, approvalId, decision }
}

/** Returns the columns of {@link TaskRow} for rows of `task`. A root run that is being added has its own settings. */
function rowColumns(schema: string): string {
  return `run_id, depth, partition, execution, (coalesce(
    tree, (SELECT root.tree FROM ${schema}.tasks AS root WHERE root.run_id = task.root_run_id)
  )->>'priority')::int AS priority`
}

/** Returns the start of a statement with the runs $1 and all runs below them as `below`. */
function below(schema: string): string {
  return `WITH RECURSIVE below AS (
    SELECT run_id FROM ${schema}.tasks WHERE run_id = ANY($1::text[])
    UNION SELECT task.run_id FROM ${schema}.tasks AS task JOIN below ON task.parent_run_id = below.run_id
  )`
}

/** Throws unless the ancestors of a request are those of its parent and the parent itself, within the depth. */
function requireAncestry({ request, parent, tree }: StartedRow): void {
  const expected: readonly Ancestor[] =
    parent === null
      ? []
      : [...parent.ancestry, { runId: parent.runId, name: parent.agent.name, digest: parent.agent.digest }]
  const isSame =
    request.ancestry.length === expected.length &&
    expected.every((ancestor, index) => {
      const own = request.ancestry[index]
      return own?.runId === ancestor.runId && own.name === ancestor.name && own.digest === ancestor.digest
    })
  const isCycle = expected.some(({ digest }) => digest === request.agent.digest)
  if (isSame && !isCycle && expected.length <= tree.maxDepth) return
  throw troupeError('internal', `The request of the run ${request.runId} contradicts the run above it.`)
}

const LONGEST_PARTITION = 100

/** Returns the principal in a form that PostgreSQL stores. */
function toPartition(principal: string): string {
  return principal.toWellFormed().replaceAll('\u0000', '').slice(0, LONGEST_PARTITION) || '-'
}
