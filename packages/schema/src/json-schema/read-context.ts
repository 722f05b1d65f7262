import type { Json, JsonObject } from '../json.ts'
import type { JsonSchema } from './json-schema.ts'
import type { References } from './references.ts'
import type { TypeName } from './type-name.ts'

/** What a reading has and notes on its way. */
export interface ReadContext {
  /** A schema inside. */
  read(value: Json, place: ReadPlace): JsonSchema
  readonly references: References
  /** False: a `oneOf` that refers to something becomes an `anyOf`. */
  readonly keepsOneOf: boolean
  loosen(path: string, keyword: string, why: string): void
  /** How much was loosened so far. */
  count(): number
  /** Counts the work of reading a schema. Returns false if no more may be read. */
  spend(schema: JsonObject): boolean
}

/** Where a schema stands. */
export interface ReadPlace {
  readonly path: string
  /** The only types that a value has here, by what was said around it. */
  readonly types?: readonly TypeName[]
  /** Below an `$id` of its own, from where references would be looked up elsewhere. */
  readonly isForeign?: boolean
}
