import type { Json, JsonObject } from '../json.ts'
import type { JsonSchema } from './json-schema.ts'
import type { References } from './references.ts'
import type { TypeName } from './type-name.ts'

/** State and operations of one conversion. */
export interface ReadContext {
  /** Converts a subschema. */
  read(value: Json, location: SchemaLocation): JsonSchema
  readonly references: References
  /** False to convert a `oneOf` with references to `anyOf`. */
  readonly keepsOneOf: boolean
  relax(path: string, keyword: string, why: string): void
  /** Returns the number of relaxations so far. */
  relaxationCount(): number
  /** Counts the work for a schema. Returns false if the limit is reached. */
  countWork(schema: JsonObject): boolean
}

/** Location and context of a subschema. */
export interface SchemaLocation {
  readonly path: string
  /** Types that values can have here, known from surrounding schemas. */
  readonly types?: readonly TypeName[]
  /** True below a nested `$id`, where references would be resolved against another base. */
  readonly isForeign?: boolean
}
