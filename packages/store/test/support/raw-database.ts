import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { tempProject } from '@troupe/testkit/internal'
import { onTestFinished } from 'vitest'

/** Opens `node:sqlite` directly: one table, one prepared statement, one transaction per batch, and every commit synced to disk. */
export async function openRawDatabase(): Promise<{
  writeBatch(values: readonly unknown[]): Promise<void>
  count(): number
}> {
  const project = await tempProject()
  const database = new DatabaseSync(join(project.path, 'raw.db'))
  onTestFinished(async () => {
    database.close()
    await project.remove()
  })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE events (seq INTEGER PRIMARY KEY, data TEXT NOT NULL)')
  const insert = database.prepare('INSERT INTO events (data) VALUES (?)')
  return {
    async writeBatch(values) {
      database.exec('BEGIN IMMEDIATE')
      for (const value of values) insert.run(JSON.stringify(value))
      database.exec('COMMIT')
      await new Promise((resolve) => setImmediate(resolve))
    },
    count: () => Number(database.prepare('SELECT count(*) AS count FROM events').get()?.['count']),
  }
}
