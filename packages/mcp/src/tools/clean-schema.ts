import { hidesText, MAX_JSON_DEPTH, visibleText, type Json, type JsonObject } from '@troupe/schema'

/** What a model reads as prose. */
const PROSE: ReadonlySet<string> = new Set(['description', 'title', '$comment'])

/** A schema that may be shown to a model, with what was done to it; or why it may not. */
export type CleanSchema =
  | { readonly schema: JsonObject; readonly remark?: string }
  | { readonly schema?: undefined; readonly problem: string }

/**
 * The schema without what a person does not see in its prose. Where such characters stand in names and values, which cannot be changed
 * without breaking the tool, and where it is nested too deeply or names `__proto__`, it is refused.
 */
export function cleanSchema(schema: JsonObject): CleanSchema {
  const found: Findings = {}
  const cleaned = cleanObject(schema, 1, found)
  if (found.problem !== undefined) return { problem: found.problem }
  return found.remark === undefined ? { schema } : { schema: cleaned, remark: found.remark }
}

/**
 * Whether nothing is to be found in what has this JSON, told by its text: most tools are as plain as that, and to walk through them costs more. False: it has
 * to be looked at.
 */
export function isPlainJson(text: string): boolean {
  return text.length <= PLAIN_LENGTH && !ODD.test(text) && !hidesText(text) && opensOf(text) <= MAX_JSON_DEPTH
}

/** No prose in a text of this length is too long. */
const PLAIN_LENGTH = 4096
/** What JSON escapes because it is not seen, and the one name. */
const ODD = /\\[ubf]|"__proto__"/u

/** How deep it is nested at the most. */
function opensOf(text: string): number {
  return text.match(/[[{]/gu)?.length ?? 0
}

interface Findings {
  problem?: string
  remark?: string
}

function clean(value: Json, depth: number, found: Findings): Json {
  if (typeof value === 'string') {
    if (!hidesText(value)) return value
    found.problem = 'a value in it holds invisible characters'
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

/** The same array when nothing in it had to be changed. */
function cleanArray(array: readonly Json[], depth: number, found: Findings): Json {
  const cleaned = array.map((each) => clean(each, depth + 1, found))
  return cleaned.some((each, index) => each !== array[index]) ? cleaned : array
}

/** The same object when nothing in it had to be changed, as in nearly every schema. */
function cleanObject(object: JsonObject, depth: number, found: Findings): JsonObject {
  const changes: [string, Json][] = []
  for (const [name, value] of Object.entries(object)) {
    if (name === '__proto__') found.problem = 'it has a member `__proto__`'
    else if (hidesText(name)) found.problem = 'a name in it holds invisible characters'
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
