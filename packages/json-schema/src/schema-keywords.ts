/** Kind of value that a JSON Schema keyword has: one schema, a list or a map of schemas, or plain data. */
export type KeywordContentKind = 'schema' | 'list' | 'map' | 'data'

const KEYWORD_CONTENT_KINDS: ReadonlyMap<string, KeywordContentKind> = new Map<string, KeywordContentKind>([
  ...withKind('schema', 'additionalItems additionalProperties contains contentSchema else if items not'),
  ...withKind('schema', 'propertyNames then unevaluatedItems unevaluatedProperties'),
  ...withKind('list', 'allOf anyOf oneOf prefixItems'),
  ...withKind('map', '$defs definitions dependencies dependentSchemas patternProperties properties'),
])

/**
 * Returns the kind of value of a keyword. Unknown keywords hold data. Before draft 2020-12, `items` could be
 * a list.
 */
export function keywordContentKind(keyword: string, value: unknown): KeywordContentKind {
  if (keyword === 'items' && Array.isArray(value)) return 'list'
  return KEYWORD_CONTENT_KINDS.get(keyword) ?? 'data'
}

/**
 * Returns the kind of a member in a list or map of schemas. In `dependencies` a member may also be a list of
 * property names.
 */
export function memberContentKind(member: unknown): KeywordContentKind {
  return Array.isArray(member) ? 'data' : 'schema'
}

function withKind(kind: KeywordContentKind, keywords: string): (readonly [string, KeywordContentKind])[] {
  return keywords.split(' ').map((keyword) => [keyword, kind] as const)
}

/** Keywords whose schemas apply to the items or properties of a value. */
const MEMBERS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
])

/**
 * Returns the path of the values of a subschema. It is the outer path if both schemas apply to the same
 * value.
 */
export function innerPath(path: string, keyword: string, name?: string): string {
  if (keyword === 'properties') return `${path}/${name ?? ''}`
  if (MEMBERS.has(keyword)) return `${path}/*`
  return name === undefined ? path : `${path}/${keyword}/${name}`
}
