import { isJsonObject, type Json } from '@troupe/schema'
import type { TomlReadResult } from '@troupe/cards/formats'
import { parse, TomlError } from 'smol-toml'

/** Maximum depth of nested tables and lists. */
const MAX_DEPTH = 32

/** Reads a TOML file as JSON. Dates and integers beyond the range of numbers become text. */
export function readToml(text: string): TomlReadResult {
  try {
    const value = toJson(parse(text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_DEPTH }))
    return { fields: isJsonObject(value) ? value : {} }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [message = ''] = error.message.split('\n', 1)
    const position = { line: error.line, column: error.column }
    return { message: message.replace(/^Invalid TOML document: /u, ''), position }
  }
}

function toJson(value: unknown): Json {
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value !== 'object' || value === null || value instanceof Date) return String(value)
  const members = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(members.map(([key, member]) => [key, toJson(member)]))
}
