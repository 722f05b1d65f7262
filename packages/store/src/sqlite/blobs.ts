import type { DatabaseSync } from 'node:sqlite'
import { hashOf, type Payload } from './payload.ts'

/** Long texts, each stored only once. */
export interface Blobs {
  /** Stores the texts that were extracted from a value of a run tree. */
  add(root: number, blobs: Payload['blobs']): void
  /** Returns the JSON of a stored text. Empty, and so invalid JSON, if the text does not match its hash. */
  text(hash: string): string
}

/** Prepares the statements once. */
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
