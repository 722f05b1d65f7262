/** Keywords whose schemas are about what is in a value. */
const MEMBERS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
])

/** Where the values of a schema inside another stand: that of the outer one where both are about the same value. */
export function innerPath(path: string, keyword: string, name?: string): string {
  if (keyword === 'properties') return `${path}/${name ?? ''}`
  if (MEMBERS.has(keyword)) return `${path}/*`
  return name === undefined ? path : `${path}/${keyword}/${name}`
}
