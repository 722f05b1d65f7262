import { isJsonObject, type Json, type JsonObject, getOwn } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import { mapSchema, measureSchema, type LocatedSchema, type SchemaRelaxation } from '@troupe/json-schema'
import { SCHEMA_TARGETS, type SchemaTarget, type SchemaTargetName } from './schema-target.ts'

/** A schema converted for an API. */
export interface ConvertedSchema {
  /** The same object if nothing had to change. */
  readonly schema: JsonObject
  /** Parts that are not sent to the API. Values are validated against the original schema afterwards. */
  readonly relaxations: readonly SchemaRelaxation[]
  /** Parts that the API accepts but does not enforce. */
  readonly unenforced: readonly SchemaRelaxation[]
}

/**
 * Converts a schema for an API. Deterministic, does not modify its input and never throws. An invalid or too
 * large schema is returned unchanged.
 */
export function convertSchema(name: SchemaTargetName, schema: JsonObject): ConvertedSchema {
  if (!measureSchema(schema).ok) return { schema, relaxations: [], unenforced: [] }
  const target = SCHEMA_TARGETS[name]
  const notes: ConversionNotes = { relaxations: [], unenforced: [] }
  const root = plainRoot(schema, target, notes.relaxations)
  const converted = mapSchema(root, (placed) => rewriteSchema(placed, target, notes))
  const isSame = JSON.stringify(converted) === JSON.stringify(schema)
  return {
    schema: isSame ? schema : converted,
    relaxations: inOrder(notes.relaxations),
    unenforced: inOrder(notes.unenforced),
  }
}

/** Sorts by depth and removes duplicates. */
function inOrder(relaxations: readonly SchemaRelaxation[]): readonly SchemaRelaxation[] {
  const known = new Map(relaxations.map((one) => [JSON.stringify([one.path, one.keyword]), one]))
  return [...known.values()].toSorted((one, other) => depth(one) - depth(other))
}

function depth({ path }: SchemaRelaxation): number {
  return path.split('/').length
}

/** Parts of a schema that were removed or are not enforced. */
interface ConversionNotes {
  readonly relaxations: SchemaRelaxation[]
  readonly unenforced: SchemaRelaxation[]
}

/** Rewrites one schema for a target. Its inner schemas are already rewritten. */
function rewriteSchema(
  { schema, path }: LocatedSchema,
  target: SchemaTarget,
  notes: ConversionNotes,
): JsonObject {
  const note = (keyword: string, why: string): void => void notes.relaxations.push({ path, keyword, why })
  const ignored = Object.keys(schema).filter((keyword) => target.ignored.has(keyword))
  notes.unenforced.push(...ignored.map((keyword) => ({ path, keyword, why: 'it is not enforced' })))
  const steps = [
    target.newDraft === true ? toNewDraft : undefined,
    (given: JsonObject) => withoutRefused(given, target, note),
    target.constAsEnum === true ? constToEnum : undefined,
    target.anyOfOnly === true ? oneOfToAnyOf : undefined,
    target.noRefSiblings === true ? (given: JsonObject) => removeRefSiblings(given, note) : undefined,
    target.closed === true ? closeObject : undefined,
  ]
  return steps.reduce((given, step) => step?.(given) ?? given, schema)
}

type LoosenedReporter = (keyword: string, why: string) => void

function withoutRefused(schema: JsonObject, { refused }: SchemaTarget, note: LoosenedReporter): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => {
    const why = refused.get(keyword)
    if (why !== undefined) note(keyword, why)
    return why === undefined
  })
  return kept.length === Object.keys(schema).length ? schema : Object.fromEntries(kept)
}

/** Converts keywords of older drafts to draft 2020-12. */
function toNewDraft(schema: JsonObject): JsonObject {
  return exclusive(exclusive(positions(schema), 'exclusiveMinimum', 'minimum'), 'exclusiveMaximum', 'maximum')
}

function positions(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema
  if (!Array.isArray(items) || rest['prefixItems'] !== undefined) return schema
  const after = additionalItems === undefined ? {} : { items: additionalItems }
  return { ...rest, ...(items.length === 0 ? {} : { prefixItems: items }), ...after }
}

function exclusive(schema: JsonObject, keyword: string, limit: string): JsonObject {
  const { [keyword]: isExclusive, [limit]: value, ...rest } = schema
  if (typeof isExclusive !== 'boolean') return schema
  return value === undefined ? rest : { ...rest, [isExclusive ? keyword : limit]: value }
}

function constToEnum(schema: JsonObject): JsonObject {
  const { const: value, ...rest } = schema
  if (value === undefined || rest['enum'] !== undefined) return schema
  return { ...rest, enum: [value] }
}

/** Replaces `oneOf` with `anyOf`. */
function oneOfToAnyOf(schema: JsonObject): JsonObject {
  const { oneOf, ...rest } = schema
  return oneOf === undefined ? schema : { ...rest, anyOf: oneOf }
}

const PROSE: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples'])

function removeRefSiblings(schema: JsonObject, note: LoosenedReporter): JsonObject {
  if (typeof schema['$ref'] !== 'string') return schema
  const kept = Object.entries(schema).filter(([keyword]) => {
    const isKept = keyword.startsWith('$')
    if (!isKept && !PROSE.has(keyword)) note(keyword, '$ref allows no other keywords')
    return isKept
  })
  return Object.fromEntries(kept)
}

function closeObject(schema: JsonObject): JsonObject {
  const { properties }: { readonly properties?: Json } = schema
  return isJsonObject(properties) ? { ...schema, additionalProperties: false } : schema
}

/** Keywords that are not allowed at the root of tool parameters. */
const FORBIDDEN_AT_ROOT = [
  '$ref',
  'anyOf',
  'oneOf',
  'allOf',
  'enum',
  'const',
  'not',
  'if',
  'then',
  'else',
] as const

/** Returns the schema with a plain object root. Properties of alternatives are merged into it. */
function plainRoot(schema: JsonObject, target: SchemaTarget, relaxations: SchemaRelaxation[]): JsonObject {
  if (target.plainRoot !== true) return schema
  const found = FORBIDDEN_AT_ROOT.filter((keyword) => Object.hasOwn(schema, keyword))
  const why = 'the root must be an object with properties'
  relaxations.push(...found.map((keyword) => ({ path: '', keyword, why })))
  const merged = found.length === 0 ? schema : { ...without(schema, found), ...mergeObjects(schema) }
  const { properties } = merged
  const plain: JsonObject = {
    ...merged,
    type: 'object',
    properties: isJsonObject(properties) ? properties : {},
  }
  return target.propertyNames === undefined
    ? plain
    : withAllowedNames(plain, target.propertyNames, relaxations)
}

function without(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

/**
 * Removes optional properties with names the API does not allow. Required ones remain and the API rejects
 * them.
 */
function withAllowedNames(schema: JsonObject, names: RegExp, relaxations: SchemaRelaxation[]): JsonObject {
  const properties = schema['properties'] as JsonObject
  const required: readonly Json[] = Array.isArray(schema['required']) ? schema['required'] : []
  const odd = Object.keys(properties).filter((name) => !names.test(name) && !required.includes(name))
  if (odd.length === 0) return schema
  relaxations.push(
    ...odd.map((name) => ({ path: `/${name}`, keyword: 'properties', why: 'the name is not allowed' })),
  )
  return { ...schema, properties: without(properties, odd) }
}

/** The part of a schema that describes the members of an object. */
interface ObjectParts {
  readonly properties: ReadonlyMap<string, readonly Json[]>
  readonly required: ReadonlySet<string>
  readonly isClosed: boolean
}

/** Limit of references to follow, because recursive schemas have no end. */
const MAX_REFERENCES = 100

/**
 * Merges a schema with its references and alternatives into one object. A property is required only if all
 * alternatives require it; different schemas of one property become `anyOf`.
 */
function mergeObjects(root: JsonObject): JsonObject {
  const { properties, required, isClosed } = partsOf(root, { root, left: MAX_REFERENCES })
  return {
    properties: Object.fromEntries([...properties].map(([name, schemas]) => [name, anyOf(schemas)])),
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(isClosed ? { additionalProperties: false } : {}),
  }
}

interface ReferenceScope {
  readonly root: JsonObject
  left: number
}

function partsOf(schema: JsonObject, scope: ReferenceScope): ObjectParts {
  const target = resolveReference(schema, scope)
  const together = [
    ownParts(schema),
    ...(target === undefined ? [] : [partsOf(target, scope)]),
    ...members(schema['allOf']).map((member) => partsOf(member, scope)),
    ...[schema['anyOf'], schema['oneOf']].flatMap((list) => {
      const options = members(list).map((member) => partsOf(member, scope))
      return options.length === 0 ? [] : [mergeOneOf(options)]
    }),
  ]
  return mergeAllOf(together)
}

function ownParts(schema: JsonObject): ObjectParts {
  const { properties, required, additionalProperties } = schema
  const names = Array.isArray(required) ? (required as readonly Json[]) : []
  return {
    properties: new Map(
      Object.entries(isJsonObject(properties) ? properties : {}).map(([name, inner]) => [name, [inner]]),
    ),
    required: new Set(names.filter((name) => typeof name === 'string')),
    isClosed: additionalProperties === false,
  }
}

/** Merges schemas that all apply. The first schema of a property is used. */
function mergeAllOf(parts: readonly ObjectParts[]): ObjectParts {
  const properties = new Map<string, readonly Json[]>()
  for (const part of parts)
    for (const [name, schemas] of part.properties) if (!properties.has(name)) properties.set(name, schemas)
  const describing = parts.filter((part) => part.properties.size > 0)
  return {
    properties,
    required: new Set(parts.flatMap(({ required }) => [...required])),
    isClosed: parts.some(({ isClosed }) => isClosed) && describing.every(({ isClosed }) => isClosed),
  }
}

function mergeOneOf(options: readonly ObjectParts[]): ObjectParts {
  const properties = new Map<string, Json[]>()
  for (const option of options)
    for (const [name, schemas] of option.properties)
      properties.set(name, [...(properties.get(name) ?? []), ...schemas])
  const [first, ...others] = options
  const required = [...(first?.required ?? [])].filter((name) =>
    others.every((other) => other.required.has(name)),
  )
  return { properties, required: new Set(required), isClosed: options.every(({ isClosed }) => isClosed) }
}

function anyOf(schemas: readonly Json[]): Json {
  const different = [...new Map(schemas.map((schema) => [canonicalJson(schema), schema])).values()]
  const [only = true] = different
  return different.length === 1 ? only : { anyOf: different }
}

function members(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly Json[]).filter(isJsonObject) : []
}

function resolveReference({ $ref }: JsonObject, scope: ReferenceScope): JsonObject | undefined {
  const [, keyword, name] =
    typeof $ref === 'string' ? (/^#\/(\$defs|definitions)\/([^/~%]+)$/u.exec($ref) ?? []) : []
  if (keyword === undefined || name === undefined || scope.left === 0) return undefined
  scope.left -= 1
  const definitions = scope.root[keyword]
  const target = isJsonObject(definitions) ? getOwn(definitions, name) : undefined
  return isJsonObject(target) ? target : undefined
}
