import type { DatabaseSync } from 'node:sqlite'
import { troupeError, type Clock } from '@troupe/schema'

/** The process that keeps a state. */
export interface StateOwner {
  readonly pid: number
  readonly host: string
  /** Whether a process of this machine runs. */
  isAlive(pid: number): boolean
}

interface Holder {
  readonly pid: number
  readonly host: string
  /** When it said last that it is there. */
  readonly at: number
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS owner (
    one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER NOT NULL, host TEXT NOT NULL, at INTEGER NOT NULL
  );
`
const SAYS_SO_EVERY_MS = 20_000
/** Numbers of processes come again: one that has not said so for as long is another. */
const SILENT_MS = 3 * SAYS_SO_EVERY_MS

/**
 * Takes a state for this process: two that answer the same requests would answer them twice. Gives what lets go of it. Throws `store_locked` while another
 * process has it.
 */
export function ownState(
  database: DatabaseSync,
  { owner, clock, file }: { readonly owner: StateOwner; readonly clock: Clock; readonly file: string },
): () => void {
  database.exec(TABLE)
  const read = database.prepare('SELECT pid, host, at FROM owner')
  const write = database.prepare('INSERT OR REPLACE INTO owner VALUES (1, ?, ?, ?)')
  const release = database.prepare('DELETE FROM owner WHERE pid = ? AND host = ?')
  database.exec('BEGIN IMMEDIATE')
  try {
    const holder = read.get() as unknown as Holder | undefined
    if (holder !== undefined && isHeld(holder, { owner, clock }))
      throw troupeError('store_locked', `${file}: the Slack app of process ${holder.pid} uses it.`, {
        fix: 'End that one, or give this one a place of its own with `--store`.',
      })
    write.run(owner.pid, owner.host, clock.now())
  } finally {
    database.exec('COMMIT')
  }
  let cancel = clock.after(SAYS_SO_EVERY_MS, sayAgain)
  return () => {
    cancel()
    release.run(owner.pid, owner.host)
  }

  function sayAgain(): void {
    try {
      write.run(owner.pid, owner.host, clock.now())
    } catch {
      // a disk that is full now may not be so the next time
    }
    cancel = clock.after(SAYS_SO_EVERY_MS, sayAgain)
  }
}

function isHeld(
  { pid, host, at }: Holder,
  { owner, clock }: { readonly owner: StateOwner; readonly clock: Clock },
): boolean {
  if (at < clock.now() - SILENT_MS) return false
  if (host !== owner.host) return true
  return pid !== owner.pid && owner.isAlive(pid)
}
