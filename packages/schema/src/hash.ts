import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

const encoder = new TextEncoder()
const EMPTY = sha256.create()
/** Used for every hash: to make them costs more than to hash the id of a child. */
const working = EMPTY.clone()
const input = new Uint8Array(512)
const output = new Uint8Array(32)

/** SHA-256 of text as 64 hex digits. Pure JavaScript, so it works in a browser too. */
export function sha256Hex(text: string): string {
  // oxlint-disable-next-line no-underscore-dangle -- the only way to begin again without a new instance
  EMPTY._cloneInto(working).update(toBytes(text)).digestInto(output)
  return bytesToHex(output)
}

/** A UTF-16 unit is at most three bytes. */
function toBytes(text: string): Uint8Array {
  if (text.length * 3 > input.length) return encoder.encode(text)
  return input.subarray(0, encoder.encodeInto(text, input).written)
}

/** JSON text with sorted keys: equal values give equal text. Undefined members are left out, functions stand for their source text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value)) ?? 'null'
}

function sortKeys(value: unknown): unknown {
  if (typeof value === 'function') return `function:${value.name}:${String(value)}`
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const sorted: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const key of Object.keys(value).toSorted())
    sorted[key] = sortKeys((value as Record<string, unknown>)[key])
  return sorted
}
