import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '@troupe/schema'
import { faultOf, storeError } from './store-failure.ts'
import { runInTransaction } from './write-slice.ts'

/** Runs a function in a transaction, after those of other processes. Rejects with the fault of the store. */
export type Transact = <T>(work: () => T) => Promise<T>

/** Maximum time in ms that a transaction waits for those of other processes. */
const MAX_WAIT_MS = 10_000
const PAUSE_MS = 8

interface Job {
  /** Does the work. The returned function reports the value to the caller and is called after the commit. */
  run(): () => void
  fail(reason: Error): void
}

/**
 * Creates the function that runs transactions. It does not block the thread while it waits. Requests of one
 * turn of the event loop share a transaction, unless one of them fails.
 */
export function createTransactor(
  database: DatabaseSync,
  { path, clock, random }: { readonly path: string; readonly clock: Clock; random(): number },
): Transact {
  let jobs: Job[] = []

  async function commit(batch: readonly Job[]): Promise<void> {
    const until = clock.monotonic() + MAX_WAIT_MS
    for (;;) {
      try {
        const callbacks = runInTransaction(database, () => ({
          shouldCommit: true,
          value: batch.map((job) => job.run()),
        }))
        for (const callback of callbacks) callback()
        return
      } catch (thrown) {
        if (faultOf(thrown) !== 'busy' || clock.monotonic() >= until) return giveUp(batch, thrown)
      }
      await new Promise<void>((resolve) => clock.after(PAUSE_MS * (random() + 0.1), resolve))
    }
  }

  /** Rejects a failed job. Retries each of several alone, so that one does not fail the others. */
  async function giveUp(batch: readonly Job[], thrown: unknown): Promise<void> {
    if (batch.length === 1) batch[0]?.fail(storeError(thrown, path))
    else for (const job of batch) await commit([job])
  }

  return (work) =>
    new Promise((resolve, reject) => {
      if (jobs.length === 0)
        setImmediate(() => {
          const batch = jobs
          jobs = []
          void commit(batch)
        })
      jobs.push({
        run: () => {
          const value = work()
          return () => resolve(value)
        },
        fail: reject,
      })
    })
}
