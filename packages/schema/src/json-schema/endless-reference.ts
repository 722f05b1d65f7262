import type { JsonSchema } from './json-schema.ts'
import { definitionName } from './references.ts'

/** A reference that leads back to itself with no property or member between: no value could ever be checked. Undefined: there is none. */
export function endlessReference(root: JsonSchema): string | undefined {
  const definitions = new Map(Object.entries(root.$defs ?? {}))
  const done = new Set<string>()
  /** Recursion is bounded: at most once into each definition. */
  const follow = (schema: JsonSchema, way: ReadonlySet<string>): string | undefined => {
    for (const reference of inPlace(schema)) {
      if (way.has(reference)) return reference
      if (done.has(reference)) continue
      const name = definitionName(reference)
      const target = name === undefined ? root : definitions.get(name)
      const endless = target === undefined ? undefined : follow(target, new Set([...way, reference]))
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

/** The references that are about the very value of the schema. */
function inPlace(schema: JsonSchema): readonly string[] {
  if ('$ref' in schema) return [schema.$ref]
  if ('anyOf' in schema) return schema.anyOf.flatMap(inPlace)
  if ('oneOf' in schema) return schema.oneOf.flatMap(inPlace)
  return 'allOf' in schema ? schema.allOf.flatMap(inPlace) : []
}
