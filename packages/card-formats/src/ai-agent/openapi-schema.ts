import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/** Maximum depth of a schema, and of references to references. */
const MAX_DEPTH = 32
/** Maximum definitions that the schema of a tool refers to. */
const MAX_DEFINITIONS = 200
/** Maximum characters of a description and of a value. */
const MAX_TEXT = 1024
/** Characters of names and values that count as one part. */
const PART_LENGTH = 64

/** Remaining work for all tools of a document, counted in parts of schemas. */
export interface SchemaBudget {
  parts: number
}

const TYPES: ReadonlySet<Json> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
  'null',
])
const NUMBERS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
])

/** Returns a value of the document with local references followed. Throws why it cannot. */
export function resolveReference(document: JsonObject, value: Json | undefined): JsonObject {
  let found = value
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    if (!isJsonObject(found)) throw new Error('a part of it is missing')
    const reference = found['$ref']
    if (typeof reference !== 'string') return found
    found = valueAt(document, reference)
  }
  throw new Error('its references lead to each other')
}

function valueAt(document: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#/'))
    throw new Error(`it refers to "${reference}", which is outside the document`)
  return reference
    .slice(2)
    .split('/')
    .map((step) => decodeStep(step))
    .reduce<Json | undefined>((value, step) => {
      if (Array.isArray(value)) return (value as readonly Json[])[Number(step)]
      return isJsonObject(value) ? getOwn(value, step) : undefined
    }, document)
}

function decodeStep(step: string): string {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Converts schemas of OpenAPI 3 to JSON Schema, as part of one schema of arguments. */
export interface SchemaConverter {
  /** Throws if the schema is too large or refers to another file. */
  convert(schema: Json | undefined): JsonObject
  /** Returns the definitions that the converted schemas refer to. */
  definitions(): JsonObject
}

/**
 * Creates a converter. Keywords that do not limit what a request may contain are left out, and so are patterns.
 * Local references become references to `$defs`, which also serves schemas that contain themselves.
 */
export function createSchemaConverter(document: JsonObject, budget: SchemaBudget): SchemaConverter {
  const names = new Map<string, string>()
  const convert = (schema: Json | undefined, depth: number): JsonObject => {
    budget.parts -= 1
    if (budget.parts < 0 || depth > MAX_DEPTH) throw new Error('its schema is too large')
    if (!isJsonObject(schema)) return {}
    const { $ref: reference, description } = schema
    if (typeof reference !== 'string') return convertKeywords(schema, depth)
    return { ...textMember('description', description), $ref: `#/$defs/${nameOf(reference)}` }
  }
  const nameOf = (reference: string): string => {
    const known = names.get(reference)
    if (known !== undefined) return known
    if (names.size >= MAX_DEFINITIONS) throw new Error('its schema has too many references')
    const name = `s${names.size + 1}`
    names.set(reference, name)
    return name
  }
  const convertAll = (list: Json | undefined, depth: number): readonly JsonObject[] => {
    const items = Array.isArray(list) ? (list as readonly Json[]) : []
    return items.map((item) => convert(item, depth + 1))
  }
  const convertKeywords = (schema: JsonObject, depth: number): JsonObject => {
    const isSent = (name: string): boolean => name !== '__proto__' && properties[name]?.['readOnly'] !== true
    const properties = Object.fromEntries(
      Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {}).map(([name, member]) => [
        name,
        isJsonObject(member) ? member : {},
      ]),
    )
    const sent = Object.keys(properties).filter(isSent)
    const required = texts(schema['required']).filter(isSent)
    budget.parts -= Math.floor(sent.concat(required).join('').length / PART_LENGTH)
    const { items, additionalProperties: others } = schema
    const [allOf, anyOf] = [schema['allOf'], schema['anyOf'] ?? schema['oneOf']].map((list) =>
      convertAll(list, depth),
    )
    return {
      ...scalarKeywords(schema, budget),
      ...(sent.length === 0
        ? {}
        : {
            properties: Object.fromEntries(
              sent.map((name) => [name, convert(properties[name], depth + 1)] as const),
            ),
          }),
      ...(required.length === 0 ? {} : { required }),
      ...(isJsonObject(items) ? { items: convert(items, depth + 1) } : {}),
      ...(typeof others === 'boolean' ? { additionalProperties: others } : {}),
      ...(isJsonObject(others) ? { additionalProperties: convert(others, depth + 1) } : {}),
      ...(allOf === undefined || allOf.length === 0 ? {} : { allOf }),
      ...(anyOf === undefined || anyOf.length === 0 ? {} : { anyOf }),
    }
  }
  return {
    convert: (schema) => convert(schema, 0),
    definitions: () => {
      const definitions: Record<string, JsonObject> = {}
      // The map grows while the definitions refer to others.
      for (const [reference, name] of names)
        definitions[name] = convert(resolveReference(document, { $ref: reference }), 0)
      return definitions
    },
  }
}

/** Returns the keywords that contain no other schemas. Those with an invalid value are left out. */
function scalarKeywords(schema: JsonObject, budget: SchemaBudget): JsonObject {
  const numbers = Object.entries(schema).filter(
    ([key, value]) => NUMBERS.has(key) && typeof value === 'number' && (value >= 0 || key.endsWith('imum')),
  )
  const { default: preset, const: only, format, uniqueItems } = schema
  const types = [schema['type'] ?? []].flat().filter((type) => TYPES.has(type))
  const isNullable = schema['nullable'] === true && types.length > 0
  const options = Array.isArray(schema['enum']) ? (schema['enum'] as readonly Json[]) : []
  if (options.length > 0)
    budget.parts -= options.length + Math.floor(JSON.stringify(options).length / PART_LENGTH)
  return {
    ...(types.length === 0 ? {} : { type: isNullable ? [...types, 'null'] : (onlyOne(types) ?? types) }),
    ...textMember('description', schema['description']),
    ...(options.length === 0 ? {} : { enum: isNullable ? [...new Set([...options, null])] : options }),
    ...(isScalar(only) ? { const: only } : {}),
    ...(isScalar(preset) ? { default: preset } : {}),
    ...textMember('format', format),
    ...(uniqueItems === true ? { uniqueItems } : {}),
    ...exclusive('minimum', 'exclusiveMinimum', schema),
    ...exclusive('maximum', 'exclusiveMaximum', schema),
    ...Object.fromEntries(numbers.filter(([key]) => !isExclusive(key, schema))),
  }
}

/** Returns the limit of OpenAPI 3.0, in which `exclusiveMinimum: true` changes the meaning of `minimum`. */
function exclusive(key: string, exclusiveKey: string, schema: JsonObject): JsonObject {
  const limit = schema[key]
  return schema[exclusiveKey] === true && typeof limit === 'number' ? { [exclusiveKey]: limit } : {}
}

function isExclusive(key: string, schema: JsonObject): boolean {
  return (
    (key === 'minimum' && schema['exclusiveMinimum'] === true) ||
    (key === 'maximum' && schema['exclusiveMaximum'] === true)
  )
}

function isScalar(value: Json | undefined): value is Json {
  if (typeof value === 'string') return value.length <= MAX_TEXT
  return value !== undefined && typeof value !== 'object'
}

function onlyOne<T>(values: readonly T[]): T | undefined {
  return values.length === 1 ? values[0] : undefined
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

function textMember(key: string, value: Json | undefined): JsonObject {
  return typeof value === 'string' && value !== '' ? { [key]: value.slice(0, MAX_TEXT) } : {}
}
