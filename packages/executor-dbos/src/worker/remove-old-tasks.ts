import type { Clock } from '@troupe/schema'
import type { PostgresStore } from '@troupe/store-postgres'
import type { RunQueues } from '../tasks/run-queues.ts'

/** Time in ms between two removals, and for which ended tasks are kept for `troupe top` and for inspection. */
const REMOVE_MS = 600_000
const KEPT_HOURS = 24
/** Maximum number of run trees that are removed at once. */
const BATCH = 100

/**
 * Removes tasks of run trees that ended a day ago, with their workflows, and entries of workers that have gone.
 * The runs themselves stay in the store. Returns a function that stops it.
 */
export function removeOldTasks({
  store,
  queues,
  clock,
  onError,
}: {
  readonly store: Pick<PostgresStore, 'schema' | 'query'>
  readonly queues: Pick<RunQueues, 'forget'>
  readonly clock: Clock
  onError(thrown: unknown): void
}): () => void {
  const { schema } = store
  let isStopped = false
  let cancel: (() => void) | undefined

  async function remove(): Promise<void> {
    await store.query(`DELETE FROM ${schema}.workers WHERE seen_at < now() - interval '1 hour'`)
    for (;;) {
      const tasks = await store.query<{ run_id: string; execution: number }>(
        `SELECT task.run_id, task.execution FROM ${schema}.tasks AS task WHERE task.root_run_id IN (
           SELECT run_id FROM ${schema}.tasks WHERE parent_run_id IS NULL AND state = 'ended'
             AND ended_at < now() - $1 * interval '1 hour' ORDER BY ended_at LIMIT $2)`,
        [KEPT_HOURS, BATCH],
      )
      if (tasks.length === 0 || isStopped) return
      await queues.forget(tasks.map(({ run_id: runId, execution }) => ({ runId, executions: execution })))
      await store.query(`DELETE FROM ${schema}.trees WHERE root_run_id = ANY($1)`, [
        tasks.map(({ run_id: runId }) => runId),
      ])
    }
  }

  const removeLater = (): void => {
    cancel = clock.after(REMOVE_MS, () => {
      remove()
        .catch(onError)
        .finally(() => {
          if (!isStopped) removeLater()
        })
    })
  }
  removeLater()
  return () => {
    isStopped = true
    cancel?.()
  }
}
