import type { Json, JsonObject } from '@troupe/schema'
import { MAX_JSON_DEPTH } from '@troupe/schema/json'
import { hasInvisibleText, visibleText } from '@troupe/schema/text'

/** Keywords whose values a model reads as prose. */
const PROSE: ReadonlySet<string> = new Set(['description', 'title', '$comment'])

/** A cleaned schema with a remark on changes, or the reason why the schema is rejected. */
type CleanSchema =
  | { readonly schema: JsonObject; readonly remark?: string }
  | { readonly schema?: undefined; readonly problem: string }

/**
 * Removes invisible characters from the prose of a schema and truncates long texts. Rejects a schema with
 * invisible characters in names or values, where they cannot be removed without breaking the tool, with too
 * deep nesting, or with a `__proto__` member.
 */
export function cleanSchema(schema: JsonObject): CleanSchema {
  const found: Findings = {}
  const cleaned = cleanObject(schema, 1, found)
  if (found.problem !== undefined) return { problem: found.problem }
  return found.remark === undefined ? { schema } : { schema: cleaned, remark: found.remark }
}

/**
 * Returns true if a JSON text certainly needs no cleaning. Most tools pass this test, which is faster than
 * walking the schema.
 */
export function isPlainJson(text: string): boolean {
  return (
    text.length <= PLAIN_LENGTH &&
    !ODD.test(text) &&
    !hasInvisibleText(text) &&
    opensOf(text) <= MAX_JSON_DEPTH
  )
}

/** Length below which no text in it can exceed the limit for prose. */
const PLAIN_LENGTH = 4096
/** Escapes of characters that may be invisible, and `__proto__`. */
const ODD = /\\[ubf]|"__proto__"/u

/** Returns an upper bound of the nesting depth. */
function opensOf(text: string): number {
  return text.match(/[[{]/gu)?.length ?? 0
}

interface Findings {
  problem?: string
  remark?: string
}

function clean(value: Json, depth: number, found: Findings): Json {
  if (typeof value === 'string') {
    if (!hasInvisibleText(value)) return value
    found.problem = 'a value in it contains invisible characters'
  }
  if (typeof value !== 'object' || value === null || found.problem !== undefined) return value
  if (depth > MAX_JSON_DEPTH) {
    found.problem = `it is nested deeper than ${MAX_JSON_DEPTH} levels`
    return value
  }
  return Array.isArray(value)
    ? cleanArray(value, depth, found)
    : cleanObject(value as JsonObject, depth, found)
}

/** Returns the same array if nothing changed. */
function cleanArray(array: readonly Json[], depth: number, found: Findings): Json {
  const cleaned = array.map((each) => clean(each, depth + 1, found))
  return cleaned.some((each, index) => each !== array[index]) ? cleaned : array
}

/** Returns the same object if nothing changed, as for nearly every schema. */
function cleanObject(object: JsonObject, depth: number, found: Findings): JsonObject {
  const changes: [string, Json][] = []
  for (const [name, value] of Object.entries(object)) {
    if (name === '__proto__') found.problem = 'it has a member `__proto__`'
    else if (hasInvisibleText(name)) found.problem = 'a name in it contains invisible characters'
    const cleaned =
      PROSE.has(name) && typeof value === 'string' ? prose(value, found) : clean(value, depth + 1, found)
    if (cleaned !== value) changes.push([name, cleaned])
  }
  return changes.length === 0 ? object : { ...object, ...Object.fromEntries(changes) }
}

function prose(text: string, found: Findings): string {
  const seen = visibleText(text)
  if (seen.remark !== undefined) found.remark = seen.remark
  return seen.text
}
