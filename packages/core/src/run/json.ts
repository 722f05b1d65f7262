import type { Json } from '@troupe/schema'
import { MAX_JSON_DEPTH } from '@troupe/schema/json'

/**
 * Converts any value to JSON. BigInt and dates become text, cycles and too deep nesting become markers,
 * functions and `undefined` are left out.
 */
export function toJson(value: unknown): Json {
  return convert(value, new Set(), 0) ?? null
}

function convert(value: unknown, ancestors: Set<object>, depth: number): Json | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return value.toString()
    case 'object':
      return value === null ? null : convertObject(value, ancestors, depth)
    default:
      return undefined
  }
}

function convertObject(value: object, ancestors: Set<object>, depth: number): Json {
  if (ancestors.has(value)) return '[circular]'
  if (depth >= MAX_JSON_DEPTH) return '[too deep]'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof Error) return { name: value.name, message: value.message }
  if (value instanceof Uint8Array) return toBase64(value)
  ancestors.add(value)
  const json = convertMembers(value, ancestors, depth + 1)
  ancestors.delete(value)
  return json
}

function convertMembers(value: object, ancestors: Set<object>, depth: number): Json {
  if (Array.isArray(value) || value instanceof Set)
    return Array.from(value, (item) => convert(item, ancestors, depth) ?? null)
  const entries =
    value instanceof Map
      ? Array.from(value, ([key, member]) => [String(key), member] as const)
      : Object.entries(value)
  const json: Record<string, Json> = {}
  for (const [key, member] of entries) {
    const converted = convert(member, ancestors, depth)
    if (converted !== undefined)
      Object.defineProperty(json, key, {
        value: converted,
        enumerable: true,
        writable: true,
        configurable: true,
      })
  }
  return json
}

/** Encodes bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

const encoder = new TextEncoder()

/** Returns the length of a text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return NOT_ASCII.test(text) ? encoder.encode(text).length : text.length
}

const NOT_ASCII = /[\u0080-\uffff]/

/** Returns a value as one text: JSON unless it is a text. */
export function textOfValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
