import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** SHA-256 of text as 64 hex digits. Pure JavaScript, so it works in a browser too. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)))
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
