import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { childSchemas } from './map-schema.ts'
import { measureSchema } from './measure-schema.ts'

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
