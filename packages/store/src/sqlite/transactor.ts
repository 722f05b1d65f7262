import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '@troupe/schema'
import { faultOf, storeError } from './store-failure.ts'
import { inTransaction } from './write-slice.ts'

/** Does its work in one transaction, once the other processes let it. Rejects with what is wrong with the store. */
export type Transact = <T>(work: () => T) => Promise<T>

/** How long a transaction waits for those of others. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 8

/** The thread goes on while it waits. The first attempt is made at once. */
export function createTransactor(
  database: DatabaseSync,
  { path, clock, random }: { readonly path: string; readonly clock: Clock; random(): number },
): Transact {
  return async (work) => {
    const until = clock.monotonic() + PATIENCE_MS
    for (;;) {
      try {
        return inTransaction(database, () => ({ isKept: true, value: work() }))
      } catch (thrown) {
        if (faultOf(thrown) !== 'busy' || clock.monotonic() >= until) throw storeError(thrown, path)
      }
      await new Promise<void>((resolve) => clock.after(PAUSE_MS * (random() + 0.1), resolve))
    }
  }
}
