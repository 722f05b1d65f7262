import { createHash } from 'node:crypto'
import type { Json } from '@troupe/schema'
import { isJsonTextTooDeep } from '@troupe/schema/json'
import type { DatabaseSync } from 'node:sqlite'

/** A value in the form of a row. */
export interface Payload {
  readonly data: string
  /** JSON of the texts that were extracted from `data`, by SHA-256. */
  readonly blobs: ReadonlyMap<string, string>
}

/** Minimum length of the JSON of a value from which texts are extracted. */
const LARGE_JSON = 32 * 1024
/** Minimum length of an extracted text. Long results appear twice, in an event and in a step. */
const LONG_TEXT = 4 * 1024
/**
 * Start of the placeholder for an extracted text. A text that starts with it is always extracted, so that it
 * cannot forge a placeholder.
 */
const BLOB_PREFIX = '\u0000blob:'
const BLOB_PREFIX_JSON = JSON.stringify(BLOB_PREFIX).slice(0, -1)

export function packPayload(value: unknown): Payload {
  const whole = JSON.stringify(value)
  if (whole.length < LARGE_JSON && !mayHoldBlobPrefix(whole)) return { data: whole, blobs: NONE }
  const blobs = new Map<string, string>()
  const data = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'string' || (member.length < LONG_TEXT && !member.startsWith(BLOB_PREFIX)))
      return member
    // as JSON, because a lone surrogate cannot be stored as UTF-8
    const text = JSON.stringify(member)
    const hash = hashOf(text)
    blobs.set(hash, text)
    return BLOB_PREFIX + hash
  })
  return { data, blobs }
}

/**
 * Returns true if a text may start like a placeholder. Looks for the first character alone first, which is
 * much faster and usually finds nothing.
 */
function mayHoldBlobPrefix(json: string): boolean {
  return json.includes(BLOB_PREFIX_JSON.charAt(1)) && json.includes(BLOB_PREFIX_JSON)
}

/** Returns the key of an extracted text: its SHA-256. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * Deepest nesting that is read. New values are far below it, but older versions stored any depth, which could
 * overflow the stack of recursive functions.
 */
const MAX_DEPTH = 512
/** Replaces deeper values. */
const TOO_DEEP = '[too deep]'

/**
 * Unpacks the value of a row. `blob` returns the JSON of a hash. Replaces values nested too deeply by a
 * marker, so that the run can still be read and listed.
 */
export function unpackPayload(
  row: { readonly data: string; readonly hasBlobs: boolean },
  blob: (hash: string) => string,
): Json {
  // without a reviver, which would recurse to any depth
  const value = JSON.parse(row.data) as Json
  if (!row.hasBlobs && !isJsonTextTooDeep(row.data, value, MAX_DEPTH)) return value
  return restore(value, row.hasBlobs ? blob : undefined, MAX_DEPTH)
}

/** Restores extracted texts in place, and replaces values nested too deeply. */
function restore(value: unknown, blob: ((hash: string) => string) | undefined, maxDepth: number): Json {
  if (typeof value === 'string')
    return blob !== undefined && value.startsWith(BLOB_PREFIX)
      ? (JSON.parse(blob(value.slice(BLOB_PREFIX.length))) as string)
      : value
  if (typeof value !== 'object' || value === null) return value as Json
  if (maxDepth === 0) return TOO_DEEP
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    const restored = restore(member, blob, maxDepth - 1)
    if (restored !== member)
      Object.defineProperty(value, key, {
        value: restored,
        enumerable: true,
        writable: true,
        configurable: true,
      })
  }
  return value as Json
}

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
