import { isJsonObject } from '../json.ts'
import { memberPlace, placeOf, type SchemaPlace } from './schema-keywords.ts'

/** Maximum nesting of schemas, or of containers in their data. */
const MAX_DEPTH = 32
const MAX_SUBSCHEMAS = 1000
const MAX_VALUES = 100_000
/** Maximum length of the name of a subschema in characters. Paths consist of these names. */
const MAX_NAME = 2000

/** Result of checking a schema before recursing into it. */
export type SchemaMeasure =
  | { readonly ok: true; readonly hasDefaults: boolean }
  | { readonly ok: false; readonly problem: string }

interface Item {
  readonly key: string
  readonly value: unknown
  readonly place: SchemaPlace
  readonly depth: number
}

/**
 * Checks the size of a schema without recursion, so that a deep, circular or wide schema can neither overflow
 * the stack nor take long.
 */
export function measureSchema(schema: unknown): SchemaMeasure {
  const open: Item[] = [{ key: '', value: schema, place: 'schema', depth: 1 }]
  let subschemas = 0
  let values = 0
  let hasDefaults = false
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { key, value, place, depth } = item
    values += 1
    if (depth > MAX_DEPTH) return refused(`it is nested deeper than ${MAX_DEPTH} levels`)
    if (values > MAX_VALUES) return refused(`it has more than ${MAX_VALUES} values`)
    if (place === 'schema') {
      subschemas += 1
      if (subschemas > MAX_SUBSCHEMAS) return refused(`it has more than ${MAX_SUBSCHEMAS} subschemas`)
      if (key.length > MAX_NAME) return refused(`a name in it is longer than ${MAX_NAME} characters`)
      if (!isJsonObject(value) && typeof value !== 'boolean')
        return refused(`"${key.slice(0, 100)}" is neither an object nor true or false`)
    }
    if (typeof value !== 'object' || value === null) continue
    hasDefaults ||= Object.hasOwn(value, 'default')
    for (const [name, member] of Object.entries(value)) open.push(inside(item, name, member))
  }
  return { ok: true, hasDefaults }
}

function inside({ place, depth }: Item, key: string, value: unknown): Item {
  if (place === 'data') return { key, value, place, depth: depth + 1 }
  if (place !== 'schema') return { key, value, place: memberPlace(value), depth: depth + 1 }
  const next = placeOf(key, value)
  return { key, value, place: next, depth: next === 'schema' || isContainer(next, value) ? depth + 1 : depth }
}

function isContainer(place: SchemaPlace, value: unknown): boolean {
  return place === 'data' && typeof value === 'object' && value !== null
}

function refused(problem: string): SchemaMeasure {
  return { ok: false, problem }
}
