import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempProject } from '@troupe/testkit/internal'
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from '../../src/index.ts'
import { CLOCK } from './clock.ts'

let stores = 0

/** Opens a store on the file as a process of its own would; it is closed when the test ends. */
export async function openStore(
  path: string,
  changes: Partial<SqliteStoreOptions> = {},
): Promise<SqliteStore> {
  stores += 1
  const store = await openSqliteStore({
    path,
    clock: CLOCK,
    random: Math.random,
    writer: { token: `store ${stores}`, pid: stores, host: 'here', isAlive: () => true },
    ...changes,
  })
  onTestFinished(async () => store.close())
  return store
}

/** Opens a store on a new file. */
export async function openStoreFile(
  changes: Partial<SqliteStoreOptions> = {},
): Promise<{ readonly store: SqliteStore; readonly path: string }> {
  const project = await tempProject()
  onTestFinished(() => project.remove())
  const path = join(project.path, 'state', 'runs.db')
  return { store: await openStore(path, changes), path }
}
