import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { errorMessage, troupeError } from '@troupe/schema'

/** Syncs commits to disk without blocking the thread. */
export interface DiskSync {
  /**
   * Resolves when all earlier commits are on disk. Rejects with `store_unavailable` if the sync fails; it is
   * then unknown which commits are on disk.
   */
  run(): Promise<void>
  close(): void
}

const sync = promisify(fdatasync)

/**
 * Opens the sync of a database whose write-ahead log exists. SQLite could sync within `COMMIT` (`synchronous
 * = FULL`), but would block the thread, and so all runs, meanwhile.
 */
export function openDiskSync(path: string): DiskSync {
  // SQLite holds no locks on this file, so closing it here cannot release any
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
