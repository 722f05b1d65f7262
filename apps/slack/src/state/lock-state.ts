import type { DatabaseSync } from 'node:sqlite'
import { troupeError, type Clock } from '@troupe/schema'

/** The process that owns a state. */
export interface StateOwner {
  readonly pid: number
  readonly host: string
  /** Returns true if a process of this machine is running. */
  isAlive(pid: number): boolean
}

interface StateHolder {
  readonly pid: number
  readonly host: string
  /** The time of its last heartbeat. */
  readonly at: number
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS owner (
    one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER NOT NULL, host TEXT NOT NULL, at INTEGER NOT NULL
  );
`
const HEARTBEAT_MS = 20_000
/** An owner without a heartbeat for this long counts as dead, because process ids are reused. */
const STALE_AFTER_MS = 3 * HEARTBEAT_MS

/**
 * Locks a state for this process, so that two processes do not answer the same requests. Returns a function
 * that releases the lock. Throws `store_locked` if another process holds it.
 */
export function lockState(
  database: DatabaseSync,
  { owner, clock, file }: { readonly owner: StateOwner; readonly clock: Clock; readonly file: string },
): () => void {
  database.exec(TABLE)
  const read = database.prepare('SELECT pid, host, at FROM owner')
  const write = database.prepare('INSERT OR REPLACE INTO owner VALUES (1, ?, ?, ?)')
  const release = database.prepare('DELETE FROM owner WHERE pid = ? AND host = ?')
  database.exec('BEGIN IMMEDIATE')
  try {
    const holder = read.get() as unknown as StateHolder | undefined
    if (holder !== undefined && isLocked(holder, { owner, clock }))
      throw troupeError(
        'store_locked',
        `${file}: the Slack app of process ${holder.pid} is using this file.`,
        {
          fix: 'Stop that process, or choose another file with `--store`.',
        },
      )
    write.run(owner.pid, owner.host, clock.now())
  } finally {
    database.exec('COMMIT')
  }
  let cancel = clock.after(HEARTBEAT_MS, sendHeartbeat)
  return () => {
    cancel()
    release.run(owner.pid, owner.host)
  }

  function sendHeartbeat(): void {
    try {
      write.run(owner.pid, owner.host, clock.now())
    } catch {
      // A disk that is full now may have space the next time.
    }
    cancel = clock.after(HEARTBEAT_MS, sendHeartbeat)
  }
}

function isLocked(
  { pid, host, at }: StateHolder,
  { owner, clock }: { readonly owner: StateOwner; readonly clock: Clock },
): boolean {
  if (at < clock.now() - STALE_AFTER_MS) return false
  if (host !== owner.host) return true
  return pid !== owner.pid && owner.isAlive(pid)
}
