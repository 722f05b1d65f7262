import type { JsonSchema } from './json-schema.ts'
import { definitionName } from './references.ts'

/**
 * Returns a reference that leads back to itself without a property or item in between, so that no value could
 * ever be checked; `undefined` if there is none.
 */
export function findEndlessReference(root: JsonSchema): string | undefined {
  const definitions = new Map(Object.entries(root.$defs ?? {}))
  const done = new Set<string>()
  /** Recursion is bounded: it enters each definition at most once. */
  const follow = (schema: JsonSchema, visited: ReadonlySet<string>): string | undefined => {
    for (const reference of referencesToSameValue(schema)) {
      if (visited.has(reference)) return reference
      if (done.has(reference)) continue
      const name = definitionName(reference)
      const target = name === undefined ? root : definitions.get(name)
      const endless = target === undefined ? undefined : follow(target, new Set([...visited, reference]))
      if (endless !== undefined) return endless
      done.add(reference)
    }
    return undefined
  }
  for (const schema of definitions.values()) {
    const endless = follow(schema, new Set())
    if (endless !== undefined) return endless
  }
  return follow(root, new Set(['#']))
}

/** Returns the references that apply to the same value as the schema itself. */
function referencesToSameValue(schema: JsonSchema): readonly string[] {
  if ('$ref' in schema) return [schema.$ref]
  if ('anyOf' in schema) return schema.anyOf.flatMap(referencesToSameValue)
  if ('oneOf' in schema) return schema.oneOf.flatMap(referencesToSameValue)
  return 'allOf' in schema ? schema.allOf.flatMap(referencesToSameValue) : []
}
