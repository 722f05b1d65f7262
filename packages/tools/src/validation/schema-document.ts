import { isJsonObject, troupeError, type Json, type JsonObject } from '@troupe/schema'
import { memberContentKind, keywordContentKind } from '@troupe/json-schema'

/** Maximum length of an `$id`, `$anchor` or reference. */
const MAX_REFERENCE = 2000
/** Base URI of a schema without `$id`. */
const NO_BASE = 'schema:///'

/** A schema with its own URI, and the anchors in it. */
export interface SchemaResource {
  readonly uri: string
  readonly root: Json
  readonly anchors: Map<string, JsonObject>
  readonly dynamicAnchors: Map<string, JsonObject>
}

/** A schema in a document. */
export interface PlacedTarget {
  readonly schema: Json
  readonly resource: SchemaResource
}

/** The URIs and anchors of one schema document. Other documents are never fetched. */
interface SchemaDocument {
  readonly root: SchemaResource
  /**
   * Returns the resource that contains a schema; `undefined` for an object that is not in a schema position.
   */
  resourceOf(schema: JsonObject): SchemaResource | undefined
  /** Throws `tool_schema_invalid` if the reference cannot be resolved. */
  resolve(reference: string, from: SchemaResource): PlacedTarget
}

/** Finds all URIs and anchors of a measured schema. Throws `tool_schema_invalid` if one is invalid. */
export function readDocument(schema: JsonObject): SchemaDocument {
  const resources = new Map<string, SchemaResource>()
  const owners = new Map<JsonObject, SchemaResource>()
  const index = (value: Json, outer: SchemaResource | undefined): void => {
    if (!isJsonObject(value) || owners.has(value)) return
    const resource = resourceFor(value, outer, resources)
    owners.set(value, resource)
    addAnchors(value, resource)
    for (const [keyword, member] of Object.entries(value))
      for (const inner of schemasOf(keyword, member)) index(inner, resource)
  }
  index(schema, undefined)
  const root = owners.get(schema) as SchemaResource
  return {
    root,
    resourceOf: (each) => owners.get(each),
    resolve(reference, from) {
      checkLength('reference', reference)
      const [address = '', fragment = ''] = splitFragment(reference)
      const resource = address === '' ? from : resources.get(resolveUri(address, from.uri) ?? '')
      const target = resource === undefined ? undefined : findFragment(resource, fragment)
      if (resource === undefined || (!isJsonObject(target) && typeof target !== 'boolean'))
        throw troupeError(
          'tool_schema_invalid',
          `can't resolve reference ${reference} from id ${shownUri(from)}`,
        )
      const owner = isJsonObject(target) ? owners.get(target) : undefined
      return { schema: target, resource: owner ?? resource }
    },
  }
}

/** Returns the schemas directly below a keyword. */
function schemasOf(keyword: string, value: Json): readonly Json[] {
  switch (keywordContentKind(keyword, value)) {
    case 'schema':
      return [value]
    case 'list':
      return Array.isArray(value) ? (value as readonly Json[]) : []
    case 'map':
      return isJsonObject(value)
        ? Object.values(value).filter((member) => memberContentKind(member) === 'schema')
        : []
    default:
      return []
  }
}

function resourceFor(
  schema: JsonObject,
  outer: SchemaResource | undefined,
  resources: Map<string, SchemaResource>,
): SchemaResource {
  const { $id } = schema
  if ($id !== undefined && typeof $id !== 'string') throw invalid('$id must be string')
  const [address = ''] = splitFragment($id ?? '')
  if (outer !== undefined && address === '') return outer
  checkLength('$id', address)
  const uri = resolveUri(address, outer?.uri ?? NO_BASE)
  if (uri === undefined) throw invalid(`$id ${JSON.stringify(address)} is not a URI`)
  const resource: SchemaResource = { uri, root: schema, anchors: new Map(), dynamicAnchors: new Map() }
  if (!resources.has(uri)) resources.set(uri, resource)
  return resource
}

/** Adds the anchors of a schema. Until draft 7, an `$id` with only a fragment was an anchor. */
function addAnchors(schema: JsonObject, resource: SchemaResource): void {
  const { $anchor, $dynamicAnchor, $id } = schema
  const old = typeof $id === 'string' && $id.startsWith('#') ? $id.slice(1) : undefined
  for (const anchor of [$anchor, $dynamicAnchor, old]) {
    if (anchor === undefined || anchor === '') continue
    if (typeof anchor !== 'string') throw invalid('$anchor must be string')
    checkLength('$anchor', anchor)
    if (!resource.anchors.has(anchor)) resource.anchors.set(anchor, schema)
    if (anchor === $dynamicAnchor && !resource.dynamicAnchors.has(anchor))
      resource.dynamicAnchors.set(anchor, schema)
  }
}

function findFragment(resource: SchemaResource, fragment: string): Json | undefined {
  const decoded = decode(fragment)
  if (decoded === undefined) return undefined
  if (decoded !== '' && !decoded.startsWith('/')) return resource.anchors.get(decoded)
  let at: Json | undefined = resource.root
  for (const token of decoded.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    at = Object.hasOwn(at, name) ? (at as JsonObject)[name] : undefined
  }
  return at
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    // a malformed escape matches no anchor
    return undefined
  }
}

function splitFragment(reference: string): readonly string[] {
  const at = reference.indexOf('#')
  return at === -1 ? [reference] : [reference.slice(0, at), reference.slice(at + 1)]
}

function resolveUri(address: string, base: string): string | undefined {
  return URL.parse(address, base)?.href
}

function shownUri({ uri }: SchemaResource): string {
  return uri === NO_BASE ? '#' : uri
}

function checkLength(keyword: string, text: string): void {
  if (text.length > MAX_REFERENCE) throw invalid(`a ${keyword} is longer than ${MAX_REFERENCE} characters`)
}

function invalid(problem: string): Error {
  return troupeError('tool_schema_invalid', problem)
}
