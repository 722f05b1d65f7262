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
