import type { Clock } from '@troupe/schema'
import type { PostgresStore } from '@troupe/store-postgres'
import type { TaskStatus, TaskTable } from './task-table.ts'

/** The listeners of one watched run. */
export interface TaskListener {
  /** Called with the status of the run when it may have changed; `undefined` if the run is unknown. */
  onStatus(status: TaskStatus | undefined): void
  /** Called when a decision on a call of the run was stored. */
  onDecision?(): void
  /** Called when budget was released, for which the run waits first. */
  onRelease?(): void
}

/** Changes of tasks, made by any process. */
export interface TaskChanges {
  /**
   * Watches a run, beginning with its present status. Its status is read after each notification, and at an
   * interval because notifications can be lost. Returns a function that stops it.
   */
  watch(runId: string, listener: TaskListener): () => void
  close(): Promise<void>
}

/** Interval in ms at which the status of all watched runs is read, whether or not there was a notification. */
const CHECK_MS = 2000

/** Starts to listen to the channel of a task table. */
export async function createTaskChanges({
  store,
  tasks,
  channel,
  clock,
}: {
  readonly store: Pick<PostgresStore, 'listen'>
  readonly tasks: Pick<TaskTable, 'find'>
  readonly channel: string
  readonly clock: Clock
}): Promise<TaskChanges> {
  const watched = new Map<string, Set<TaskListener>>()
  const stale = new Set<string>()
  let isReading = false
  let cancelCheck: (() => void) | undefined

  /** Reads the status of runs. Those that become stale during a read share the next one. */
  async function readStale(): Promise<void> {
    isReading = true
    while (stale.size > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      const runIds = [...stale]
      stale.clear()
      try {
        const found = await tasks.find(runIds)
        for (const runId of runIds)
          for (const listener of watched.get(runId) ?? []) listener.onStatus(found.get(runId))
      } catch {
        // The database is away. The next check reads the status again.
      }
    }
    isReading = false
  }

  function read(runId: string): void {
    stale.add(runId)
    if (!isReading) void readStale()
  }

  const readAll = (): void => {
    for (const runId of watched.keys()) read(runId)
  }
  const checkLater = (): void => {
    cancelCheck = clock.after(CHECK_MS, () => {
      readAll()
      checkLater()
    })
  }
  const stop = await store.listen(
    channel,
    (payload) => {
      const space = payload.indexOf(' ')
      const runId = payload.slice(space + 1)
      const listeners = watched.get(runId)
      if (listeners === undefined) return
      const change = payload.slice(0, space)
      if (change === 'decided') for (const listener of listeners) listener.onDecision?.()
      else if (change === 'released') for (const listener of listeners) listener.onRelease?.()
      else read(runId)
    },
    readAll,
  )

  return {
    watch(runId, listener) {
      const listeners = watched.get(runId) ?? new Set()
      watched.set(runId, listeners)
      listeners.add(listener)
      read(runId)
      if (cancelCheck === undefined) checkLater()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && watched.get(runId) === listeners) watched.delete(runId)
        if (watched.size > 0) return
        cancelCheck?.()
        cancelCheck = undefined
      }
    },
    async close() {
      watched.clear()
      cancelCheck?.()
      await stop()
    },
  }
}
