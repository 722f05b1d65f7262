import { createHash } from 'node:crypto'
import type { Json } from '@troupe/schema'

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

/** The value of a row; `blob` gives the JSON behind a hash. */
export function unpackPayload(
  row: { readonly data: string; readonly hasBlobs: boolean },
  blob: (hash: string) => string,
): Json {
  if (!row.hasBlobs) return JSON.parse(row.data) as Json
  return JSON.parse(row.data, (_key, member: unknown) =>
    typeof member === 'string' && member.startsWith(MARK)
      ? (JSON.parse(blob(member.slice(MARK.length))) as string)
      : member,
  ) as Json
}
