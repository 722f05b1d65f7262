import { troupeError, type Clock } from '@troupe/schema'
import type { RunDispatcher, SettledTask } from '@troupe/schema/ports'
import type { PostgresStore } from '@troupe/store-postgres'
import { openTasks } from '../tasks/open-tasks.ts'
import { retryWhileAway } from '../tasks/retry-while-away.ts'
import { DEPTHS } from '../tasks/run-queues.ts'

/** Options of {@link createDbosDispatcher}. */
export interface DbosDispatcherOptions {
  /** The store that host and workers share. */
  readonly store: PostgresStore
  /** Direct address of its database, not that of a connection pooler. */
  readonly url: string
  readonly clock: Clock
  /** Number of depths that the workers have queues for. Default: 4, for `limits.maxDepth` up to 3. */
  readonly depths?: number
  /** Called with errors of followed runs. */
  onError?(thrown: unknown): void
}

/**
 * Connects a host to workers over DBOS and PostgreSQL. Rejects with `store_unavailable` if the database cannot
 * be reached.
 */
export async function createDbosDispatcher(options: DbosDispatcherOptions): Promise<RunDispatcher> {
  const { store, clock, depths = DEPTHS, onError = () => undefined } = options
  const { tasks, changes, close } = await openTasks(options)
  let isClosed = false

  return {
    find: async (runId) => (await tasks.find([runId])).get(runId)?.state,
    submit(task) {
      const { maxDepth } = task.tree
      // The request is stored already, so that a submission that is given up is made by the next server.
      if (maxDepth < depths)
        return retryWhileAway(() => tasks.addRoot(task), { clock, isStopped: () => isClosed })
      throw troupeError(
        'usage_invalid',
        `The run ${task.request.runId} may have runs at depth ${maxDepth}, but the workers have queues up to depth ${depths - 1}.`,
        { fix: 'Lower `limits.maxDepth` of the card, or raise `depths` of server and workers.' },
      )
    },
    waitUntilSettled(runId, signal) {
      const settled = Promise.withResolvers<SettledTask | undefined>()
      const leave = (): void => settled.resolve(undefined)
      const stopWatching = changes.watch(runId, {
        onStatus(status) {
          if (status === undefined) leave()
          else if (status.state === 'waiting')
            settled.resolve({ state: 'waiting', approvalIds: status.waitsFor })
          else if (status.state === 'ended')
            settled.resolve({
              state: 'ended',
              ...(status.failure === undefined ? {} : { failure: status.failure }),
            })
        },
      })
      if (signal.aborted) leave()
      signal.addEventListener('abort', leave, { once: true })
      return settled.promise.finally(() => {
        stopWatching()
        signal.removeEventListener('abort', leave)
      })
    },
    follow: (rootRunId, range, listener) => store.follow(rootRunId, range, listener, onError),
    cancel: (runId) => tasks.cancel([runId]),
    decide: (decision) => tasks.decide(decision),
    close() {
      isClosed = true
      return close()
    },
  }
}
