import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { errorMessage, troupeError } from '@troupe/schema'

/** Puts commits on the disk while the thread goes on. */
export interface DiskSync {
  /** Resolves when all that was committed before stands on the disk. Rejects with `store_unavailable`: nobody knows what does. */
  run(): Promise<void>
  close(): void
}

const sync = promisify(fdatasync)

/**
 * For a database whose write-ahead log is there. SQLite would do the same within `COMMIT` (`synchronous = FULL`), with the thread and all runs
 * standing still for as long as the disk takes.
 */
export function openDiskSync(path: string): DiskSync {
  // SQLite has no locks on this file that closing it here could take away
  const file = openSync(`${path}-wal`, 'r+')
  return {
    async run() {
      try {
        await sync(file)
      } catch (thrown) {
        throw troupeError(
          'store_unavailable',
          `${path}: the disk does not take what was written: ${errorMessage(thrown)}.`,
          { cause: thrown },
        )
      }
    },
    close: () => closeSync(file),
  }
}
