import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { childSchemas } from './map-schema.ts'
import { memberContentKind, keywordContentKind, type KeywordContentKind } from './schema-keywords.ts'

/**
 * Returns the reason why a schema cannot be used: it is too large, or a reference leads back to itself without
 * a property or an item in between. Returns `undefined` if there is none. Fetches nothing and never throws.
 */
export function findSchemaProblem(schema: unknown): string | undefined {
  const measure = measureSchema(schema)
  if (!measure.ok) return measure.problem
  const reference = isJsonObject(schema) ? findEndlessReference(schema) : undefined
  return reference === undefined ? undefined : `${reference} refers to itself endlessly`
}

function findEndlessReference(root: JsonObject): string | undefined {
  const resolve = createResolver(root)
  const open = new Set<JsonObject>()
  const done = new Set<JsonObject>()
  /** Recursion is bounded: it enters each schema at most once. `via` is the last reference on the way here. */
  const follow = (schema: JsonObject, via: string | undefined): string | undefined => {
    if (open.has(schema)) return via
    if (done.has(schema)) return undefined
    open.add(schema)
    const found = resolve(schema)
    const endless =
      (found === undefined ? undefined : follow(found.target, found.reference)) ??
      first(combinedSchemas(schema), (member) => follow(member, via))
    open.delete(schema)
    done.add(schema)
    return endless
  }
  return first(usedSchemas(root, resolve), (schema) => follow(schema, undefined))
}

/** Returns a schema's reference and its target, or `undefined` if there is none in this document. */
type ResolveReference = (
  schema: JsonObject,
) => { readonly reference: string; readonly target: JsonObject } | undefined

function createResolver(root: JsonObject): ResolveReference {
  const foreign = foreignSchemas(root)
  return (schema) => {
    const { $ref: reference } = schema
    if (typeof reference !== 'string' || !reference.startsWith('#') || foreign.has(schema)) return undefined
    const target = resolvePointer(root, reference)
    return isJsonObject(target) ? { reference, target } : undefined
  }
}

/** Returns the schemas below a nested `$id`, where references are resolved against another base. */
function foreignSchemas(root: JsonObject): ReadonlySet<JsonObject> {
  const foreign = new Set<JsonObject>()
  const visit = (schema: JsonObject, isForeign: boolean): void => {
    if (isForeign) foreign.add(schema)
    for (const child of childSchemas(schema)) visit(child, isForeign || hasOwnBase(child))
  }
  visit(root, false)
  return foreign
}

function hasOwnBase({ $id }: JsonObject): boolean {
  return typeof $id === 'string' && !$id.startsWith('#')
}

const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions'])

/** Returns the root, the schemas in it, and the definitions that they refer to. */
function usedSchemas(root: JsonObject, resolve: ResolveReference): ReadonlySet<JsonObject> {
  const used = new Set<JsonObject>()
  const pending = [root]
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    if (used.has(schema)) continue
    used.add(schema)
    const found = resolve(schema)
    pending.push(...childSchemas(schema, DEFINITIONS), ...(found === undefined ? [] : [found.target]))
  }
  return used
}

/** Returns the members that apply to the same value as the schema itself. */
function combinedSchemas({ anyOf, oneOf, allOf }: JsonObject): readonly JsonObject[] {
  return [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list.filter(isJsonObject) : []))
}

function resolvePointer(root: JsonObject, reference: string): Json | undefined {
  let current: Json | undefined = root
  const tokens = reference.slice(1).split('/')
  if (tokens.shift() !== '') return undefined
  for (const token of tokens) {
    const name = decodeToken(token)
    if (name === undefined || typeof current !== 'object' || current === null) return undefined
    current = Object.hasOwn(current, name) ? (current as JsonObject)[name] : undefined
  }
  return current
}

/** Decodes a token of a JSON pointer. Returns `undefined` if its percent encoding is invalid. */
function decodeToken(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    // malformed percent encoding
    return undefined
  }
}

/** Returns the first result that is not `undefined`. */
function first<Item, Result>(
  items: Iterable<Item>,
  find: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const result = find(item)
    if (result !== undefined) return result
  }
  return undefined
}

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

interface PendingNode {
  readonly key: string
  readonly value: unknown
  readonly kind: KeywordContentKind
  readonly depth: number
}

/**
 * Checks the size of a schema without recursion, so that a deep, circular or wide schema can neither overflow
 * the stack nor take long.
 */
export function measureSchema(schema: unknown): SchemaMeasure {
  const pending: PendingNode[] = [{ key: '', value: schema, kind: 'schema', depth: 1 }]
  let subschemas = 0
  let values = 0
  let hasDefaults = false
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { key, value, kind, depth } = item
    values += 1
    if (depth > MAX_DEPTH) return refuse(`it is nested more than ${MAX_DEPTH} levels deep`)
    if (values > MAX_VALUES) return refuse(`it has more than ${MAX_VALUES} values`)
    if (kind === 'schema') {
      subschemas += 1
      if (subschemas > MAX_SUBSCHEMAS) return refuse(`it has more than ${MAX_SUBSCHEMAS} subschemas`)
      if (key.length > MAX_NAME) return refuse(`a name in it is longer than ${MAX_NAME} characters`)
      if (!isJsonObject(value) && typeof value !== 'boolean')
        return refuse(`"${key.slice(0, 100)}" is neither an object nor true or false`)
    }
    if (typeof value !== 'object' || value === null) continue
    hasDefaults ||= Object.hasOwn(value, 'default')
    for (const [name, member] of Object.entries(value)) pending.push(toMemberNode(item, name, member))
  }
  return { ok: true, hasDefaults }
}

function toMemberNode({ kind, depth }: PendingNode, key: string, value: unknown): PendingNode {
  if (kind === 'data') return { key, value, kind, depth: depth + 1 }
  if (kind !== 'schema') return { key, value, kind: memberContentKind(value), depth: depth + 1 }
  const next = keywordContentKind(key, value)
  return { key, value, kind: next, depth: next === 'schema' || isContainer(next, value) ? depth + 1 : depth }
}

function isContainer(kind: KeywordContentKind, value: unknown): boolean {
  return kind === 'data' && typeof value === 'object' && value !== null
}

function refuse(problem: string): SchemaMeasure {
  return { ok: false, problem }
}
