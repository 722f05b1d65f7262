import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@troupe/core'
import { openSqliteStore, type SqliteStore } from '@troupe/store'

/** The path of a file that is not there yet, in a folder of its own. */
export function tempFile(): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'))
  return { path: join(folder, 'runs.db'), remove: () => rmSync(folder, { recursive: true }) }
}

/** A store in such a file. */
export async function openStoreFile(): Promise<{ readonly store: SqliteStore; readonly remove: () => void }> {
  const { path, remove } = tempFile()
  const writer = { token: 'bench', pid: process.pid, host: 'bench', isAlive: () => true }
  return { store: await openSqliteStore({ path, clock: systemClock, random: Math.random, writer }), remove }
}
