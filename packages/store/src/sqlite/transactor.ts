import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '@troupe/schema'
import { faultOf, storeError } from './store-failure.ts'
import { inTransaction } from './write-slice.ts'

/** Does its work in a transaction, once the other processes let it. Rejects with what is wrong with the store. */
export type Transact = <T>(work: () => T) => Promise<T>

/** How long a transaction waits for those of others. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 8

interface Job {
  /** Does the work; the answer tells its caller, once that is committed. */
  run(): () => void
  fail(reason: Error): void
}

/** The thread goes on while it waits. What is asked for at the same moment shares a transaction, as long as none of it fails. */
export function createTransactor(
  database: DatabaseSync,
  { path, clock, random }: { readonly path: string; readonly clock: Clock; random(): number },
): Transact {
  let jobs: Job[] = []

  async function commit(together: readonly Job[]): Promise<void> {
    const until = clock.monotonic() + PATIENCE_MS
    for (;;) {
      try {
        const told = inTransaction(database, () => ({
          isKept: true,
          value: together.map((job) => job.run()),
        }))
        for (const tell of told) tell()
        return
      } catch (thrown) {
        if (faultOf(thrown) !== 'busy' || clock.monotonic() >= until) return giveUp(together, thrown)
      }
      await new Promise<void>((resolve) => clock.after(PAUSE_MS * (random() + 0.1), resolve))
    }
  }

  /** One that fails does not fail the others. */
  async function giveUp(together: readonly Job[], thrown: unknown): Promise<void> {
    if (together.length === 1) together[0]?.fail(storeError(thrown, path))
    else for (const job of together) await commit([job])
  }

  return (work) =>
    new Promise((resolve, reject) => {
      if (jobs.length === 0)
        queueMicrotask(() => {
          const together = jobs
          jobs = []
          void commit(together)
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
