import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { choiceOf, choicesOf } from './choices.ts'

/** A problem of a value. `path` is its location, such as `/seat` or `/stops/0/city`; empty for the root. */
interface ValueProblem {
  readonly path: string
  readonly message: string
}

/**
 * Checks a value in a form: required properties, types, allowed values and bounds. The server checks the
 * whole schema before a run; this covers the common problems while a person types.
 */
export function valueProblems(
  schema: JsonObject,
  value: Json | undefined,
  path = '',
): readonly ValueProblem[] {
  if (value === undefined) return []
  const own = ownProblem(schema, value)
  if (own !== undefined) return [{ path, message: own }]
  if (schema['type'] === 'object' && isJsonObject(value)) return memberProblems(schema, value, path)
  const { items } = schema
  if (!Array.isArray(value) || !isJsonObject(items)) return []
  return value.flatMap((item: Json, index) => valueProblems(items, item, `${path}/${index}`))
}

function memberProblems(schema: JsonObject, value: JsonObject, path: string): readonly ValueProblem[] {
  const { properties, required } = schema
  const names = Array.isArray(required) ? (required as readonly Json[]).map(String) : []
  const missing = names
    .filter((name) => getOwn(value, name) === undefined && !hasDefault(properties, name))
    .map((name) => ({ path: `${path}/${name}`, message: 'This is required.' }))
  if (!isJsonObject(properties)) return missing
  const inside = Object.entries(properties).flatMap(([name, property]) =>
    isJsonObject(property) ? valueProblems(property, getOwn(value, name), `${path}/${name}`) : [],
  )
  return [...missing, ...inside]
}

function hasDefault(properties: Json | undefined, name: string): boolean {
  const property = isJsonObject(properties) ? getOwn(properties, name) : undefined
  return isJsonObject(property) && property['default'] !== undefined
}

function ownProblem(schema: JsonObject, value: Json): string | undefined {
  const wrongType = typeProblem(schema['type'], value)
  if (wrongType !== undefined) return wrongType
  const choices = choicesOf(schema)
  if (choices !== undefined && choiceOf(choices, value) === undefined)
    return `One of ${choices.map(({ title }) => title).join(', ')}.`
  if (typeof value === 'string')
    return boundsProblem(Array.from(value).length, schema, ['minLength', 'maxLength', 'characters'])
  if (typeof value === 'number') return boundsProblem(value, schema, ['minimum', 'maximum', ''])
  if (Array.isArray(value)) return listProblem(value, schema)
  return undefined
}

function typeProblem(type: Json | undefined, value: Json): string | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? undefined : 'Enter a text.'
    case 'number':
      return typeof value === 'number' ? undefined : 'Enter a number.'
    case 'integer':
      return Number.isInteger(value) ? undefined : 'Enter an integer.'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Choose true or false.'
    case 'array':
      return Array.isArray(value) ? undefined : 'Enter a list as JSON, such as ["a"].'
    case 'object':
      return isJsonObject(value) ? undefined : 'Enter an object as JSON.'
    default:
      return undefined
  }
}

function boundsProblem(
  size: number,
  schema: JsonObject,
  [minimumKey, maximumKey, unit]: readonly [string, string, string],
): string | undefined {
  const low = schema[minimumKey]
  const high = schema[maximumKey]
  const words = unit === '' ? '' : ` ${unit}`
  if (typeof low === 'number' && size < low) return `At least ${low}${words}.`
  if (typeof high === 'number' && size > high) return `At most ${high}${words}.`
  return undefined
}

function listProblem(list: readonly Json[], schema: JsonObject): string | undefined {
  const bounds = boundsProblem(list.length, schema, ['minItems', 'maxItems', 'items'])
  if (bounds !== undefined || schema['uniqueItems'] !== true) return bounds
  const texts = new Set(list.map((item) => JSON.stringify(item)))
  return texts.size === list.length ? undefined : 'Items must be unique.'
}
