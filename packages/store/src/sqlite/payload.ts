import { createHash } from 'node:crypto'
import { isJsonTextTooDeep, type Json } from '@troupe/schema'

/** A value as it stands in a row. */
export interface Payload {
  readonly data: string
  /** The JSON of texts that were taken out of `data`, by its SHA-256. */
  readonly blobs: ReadonlyMap<string, string>
}

/** Values with less JSON than this are kept whole. */
const LARGE = 32 * 1024
/** In a larger value, texts from this length on are taken out: the result of a call stands in its event and in its step. */
const LONG = 4 * 1024
/** What stands in their place. A text that begins so is taken out too, so nobody can forge one. */
const MARK = '\u0000blob:'
const MARK_AS_JSON = JSON.stringify(MARK).slice(0, -1)

/** Packs a value for its row. */
export function packPayload(value: unknown): Payload {
  const whole = JSON.stringify(value)
  if (whole.length < LARGE && !mayForge(whole)) return { data: whole, blobs: NONE }
  const blobs = new Map<string, string>()
  const data = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'string' || (member.length < LONG && !member.startsWith(MARK))) return member
    // as JSON, which has an escape for what UTF-8 has no form for
    const text = JSON.stringify(member)
    const hash = hashOf(text)
    blobs.set(hash, text)
    return MARK + hash
  })
  return { data, blobs }
}

/** Looked for by its first character alone first: that is much faster, and most JSON has none. */
function mayForge(json: string): boolean {
  return json.includes(MARK_AS_JSON.charAt(1)) && json.includes(MARK_AS_JSON)
}

/** What a text is kept under. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const NONE: ReadonlyMap<string, string> = new Map()

/** Deepest nesting that is read. What a run takes in is far from it, but older versions kept what came; deeper values overflow the stack of what walks them. */
const MAX_DEPTH = 512
/** Stands in the place of what lies deeper. */
const TOO_DEEP = '[too deep]'

/** The value of a row; `blob` gives the JSON behind a hash. What lies too deep in it is marked, so that a run with such a value can be read and listed. */
export function unpackPayload(
  row: { readonly data: string; readonly hasBlobs: boolean },
  blob: (hash: string) => string,
): Json {
  // without a reviver, which would recurse as deep as the value
  const value = JSON.parse(row.data) as Json
  if (!row.hasBlobs && !isJsonTextTooDeep(row.data, value, MAX_DEPTH)) return value
  return restore(value, row.hasBlobs ? blob : undefined, MAX_DEPTH)
}

/** Puts the texts back into a value, in place, and marks what lies too deep. */
function restore(value: unknown, blob: ((hash: string) => string) | undefined, most: number): Json {
  if (typeof value === 'string')
    return blob !== undefined && value.startsWith(MARK)
      ? (JSON.parse(blob(value.slice(MARK.length))) as string)
      : value
  if (typeof value !== 'object' || value === null) return value as Json
  if (most === 0) return TOO_DEEP
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    const restored = restore(member, blob, most - 1)
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
