import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

const encoder = new TextEncoder()
const EMPTY = sha256.create()
/** Reused for every hash, because creating an instance costs more than hashing the id of a child run. */
const workingHash = EMPTY.clone()
const input = new Uint8Array(512)
const output = new Uint8Array(32)

/** Returns the SHA-256 of text as 64 hex digits. Pure JavaScript, so that it works in browsers. */
export function sha256Hex(text: string): string {
  // oxlint-disable-next-line no-underscore-dangle -- the only way to begin again without a new instance
  EMPTY._cloneInto(workingHash).update(toBytes(text)).digestInto(output)
  return bytesToHex(output)
}

/** Encodes text as UTF-8 in the shared buffer if it fits. A UTF-16 unit takes at most three bytes. */
function toBytes(text: string): Uint8Array {
  if (text.length * 3 > input.length) return encoder.encode(text)
  return input.subarray(0, encoder.encodeInto(text, input).written)
}

/**
 * Serializes a value as JSON with sorted keys, so equal values give equal text. Omits `undefined` members;
 * functions are replaced by their source text.
 */
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
