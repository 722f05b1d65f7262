import type { Clock } from '@troupe/schema'
import type { PostgresStore } from '@troupe/store-postgres'
import { openRunQueues, type RunQueues } from './run-queues.ts'
import { createTaskChanges, type TaskChanges } from './task-changes.ts'
import { migrateTasks } from './task-schema.ts'
import { createTaskTable, type TaskTable } from './task-table.ts'

/** The tasks of a store, their queues and their changes. */
export interface OpenTasks {
  readonly tasks: TaskTable
  readonly changes: TaskChanges
  readonly queues: RunQueues
  /** Channel of the notifications. */
  readonly channel: string
  close(): Promise<void>
}

/** Number of connections to the tables of DBOS, besides those of the store. */
const POOL_SIZE = 4

/** Opens the tasks of a store, and creates their tables if they are missing. */
export async function openTasks({
  store,
  url,
  clock,
}: {
  readonly store: PostgresStore
  readonly url: string
  readonly clock: Clock
}): Promise<OpenTasks> {
  await migrateTasks(store, { url, clock })
  const queues = await openRunQueues({ url, poolSize: POOL_SIZE })
  const channel = `${store.schema.replaceAll('"', '')}_tasks`
  try {
    const tasks = createTaskTable({ store, channel, ...queues })
    const changes = await createTaskChanges({ store, tasks, channel, clock })
    const close = async (): Promise<void> => {
      await Promise.all([changes.close(), queues.close()])
    }
    return { tasks, changes, queues, channel, close }
  } catch (thrown) {
    await queues.close()
    throw thrown
  }
}
