import type { Clock } from '@troupe/schema'
import type { PostgresStore } from '@troupe/store-postgres'

/** Changes of tasks, made by any process. */
export interface TaskChanges {
  /**
   * Calls the listener when a run may have changed: for each notification, and at an interval because
   * notifications can be lost. Returns a function that stops it.
   */
  watch(runId: string, listener: () => void): () => void
  close(): Promise<void>
}

/** Interval in ms after which all watched runs are checked, whether or not there was a notification. */
const CHECK_MS = 2000

/** Starts to listen to the channel of a task table. */
export async function createTaskChanges({
  store,
  channel,
  clock,
}: {
  readonly store: Pick<PostgresStore, 'listen'>
  readonly channel: string
  readonly clock: Clock
}): Promise<TaskChanges> {
  const watched = new Map<string, Set<() => void>>()
  let cancelCheck: (() => void) | undefined

  const notifyAll = (): void => {
    for (const listeners of watched.values()) for (const listener of listeners) listener()
  }
  const checkLater = (): void => {
    cancelCheck = clock.after(CHECK_MS, () => {
      notifyAll()
      checkLater()
    })
  }
  const stop = await store.listen(
    channel,
    (payload) => {
      for (const listener of watched.get(runIdIn(payload)) ?? []) listener()
    },
    notifyAll,
  )

  return {
    watch(runId, listener) {
      const listeners = watched.get(runId) ?? new Set()
      watched.set(runId, listeners)
      listeners.add(listener)
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

/** Returns the run id of a notification, which follows the kind of the change. */
function runIdIn(payload: string): string {
  return payload.slice(payload.indexOf(' ') + 1)
}
