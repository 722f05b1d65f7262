import { DatabaseSync } from 'node:sqlite'
import { tempFile } from '../store-file.ts'
import { commonEvent, type EventStore } from './event-store.ts'

/** `node:sqlite` itself: one table, one prepared statement, one transaction for each batch, every commit on the disk. */
export function rawStore(): EventStore {
  const { path, remove } = tempFile()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE events (seq INTEGER PRIMARY KEY, data TEXT NOT NULL)')
  const insert = database.prepare('INSERT INTO events (data) VALUES (?)')
  return {
    async write(count) {
      database.exec('BEGIN IMMEDIATE')
      for (let index = 0; index < count; index++)
        insert.run(JSON.stringify(commonEvent(`root ${index % 10}`, index)))
      database.exec('COMMIT')
      await new Promise((resolve) => setImmediate(resolve))
    },
    kept: async () => Number(database.prepare('SELECT count(*) AS count FROM events').get()?.['count']),
    async close() {
      database.close()
      remove()
    },
  }
}
