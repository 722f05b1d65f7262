import type { DatabaseSync } from 'node:sqlite'
import { hashOf, type Payload } from './payload.ts'

/** Long texts, each kept once however often it is used. */
export interface Blobs {
  /** Keeps the texts that were taken out of a value of a root. */
  add(root: number, blobs: Payload['blobs']): void
  /** The text of a hash, as JSON; empty, and so no JSON: it is not the one that was kept. */
  text(hash: string): string
}

/** The statements are prepared once. */
export function createBlobs(database: DatabaseSync): Blobs {
  const insert = database.prepare('INSERT OR IGNORE INTO blobs VALUES (?, ?)')
  const insertUse = database.prepare('INSERT OR IGNORE INTO blob_uses VALUES (?, ?)')
  const select = database.prepare('SELECT text FROM blobs WHERE hash = ?')
  return {
    add(root, blobs) {
      for (const [hash, text] of blobs) {
        insert.run(hash, text)
        insertUse.run(root, hash)
      }
    },
    text(hash) {
      const text = String(select.get(hash)?.['text'])
      return hashOf(text) === hash ? text : ''
    },
  }
}
