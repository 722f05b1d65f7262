import type { DatabaseSync } from 'node:sqlite'
import type { Json, RunEvent } from '@troupe/schema'
import { packPayload, unpackPayload, type Payload } from './payload.ts'

/** What is read and written of events and steps. `root` is the key of the root's row. Nothing here opens a transaction. */
export interface Rows {
  addEvent(root: number, event: RunEvent & { readonly seq: number }): void
  putStep(root: number, step: { readonly runId: string; readonly key: string; readonly value: Json }): void
  /** Those after a `seq`, in order. */
  events(root: number, range: { readonly after: number; readonly limit?: number }): readonly RunEvent[]
  steps(root: number, runId: string): ReadonlyMap<string, Json>
}

interface DataRow {
  readonly data: string
  readonly has_blobs: number
}

/** The statements are prepared once. */
export function createRows(database: DatabaseSync): Rows {
  const insertEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)')
  const upsertStep = database.prepare('INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?)')
  const insertBlob = database.prepare('INSERT OR IGNORE INTO blobs VALUES (?, ?)')
  const insertUse = database.prepare('INSERT OR IGNORE INTO blob_uses VALUES (?, ?)')
  const selectEvents = database.prepare(
    'SELECT data, has_blobs FROM events WHERE root = ? AND seq > ? ORDER BY seq LIMIT ?',
  )
  const selectSteps = database.prepare('SELECT key, data, has_blobs FROM steps WHERE root = ? AND run_id = ?')
  const selectBlob = database.prepare('SELECT text FROM blobs WHERE hash = ?')

  const blob = (hash: string): string => String(selectBlob.get(hash)?.['text'])
  const toValue = (row: DataRow): Json =>
    unpackPayload({ data: row.data, hasBlobs: row.has_blobs === 1 }, blob)

  function addBlobs(root: number, { blobs }: Payload): number {
    for (const [hash, text] of blobs) {
      insertBlob.run(hash, text)
      insertUse.run(root, hash)
    }
    return blobs.size > 0 ? 1 : 0
  }

  return {
    addEvent(root, event) {
      const payload = packPayload(event)
      insertEvent.run(root, event.seq, event.runId, event.type, payload.data, addBlobs(root, payload))
    },
    putStep(root, { runId, key, value }) {
      const payload = packPayload(value)
      upsertStep.run(root, runId, key, payload.data, addBlobs(root, payload))
    },
    events(root, { after, limit = -1 }) {
      const rows = selectEvents.all(root, after, limit) as unknown as readonly DataRow[]
      return rows.map((row) => toValue(row) as unknown as RunEvent)
    },
    steps(root, runId) {
      const rows = selectSteps.all(root, runId) as unknown as readonly (DataRow & { readonly key: string })[]
      return new Map(rows.map((row) => [row.key, toValue(row)]))
    },
  }
}
