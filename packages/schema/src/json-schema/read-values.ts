import type { Json, JsonObject } from '../json.ts'
import type { JsonSchema } from './json-schema.ts'
import type { ReadContext, ReadPlace } from './read-context.ts'
import { isOfType, type TypeName } from './type-name.ts'

/** The values that a schema names. */
export interface NamedValues {
  readonly enum?: readonly Json[]
  readonly const?: Json
}

const SCALARS: ReadonlySet<TypeName> = new Set(['string', 'number', 'integer', 'boolean', 'null'])

/** `enum` and `const` as a schema has them; an empty or broken list says nothing. */
export function namedValues(schema: JsonObject): NamedValues {
  const { enum: list, const: one } = schema
  return {
    ...(Array.isArray(list) && list.length > 0 ? { enum: list as readonly Json[] } : {}),
    ...(one === undefined ? {} : { const: one }),
  }
}

/** True when the values can stand in the schemas of the types. */
export function takesValues(types: readonly TypeName[] | undefined): types is readonly TypeName[] {
  return types !== undefined && types.every((type) => SCALARS.has(type))
}

/** What of the values is of a type; undefined: nothing of that type is allowed. */
export function valuesOfType(values: NamedValues, type: TypeName): NamedValues | undefined {
  const { enum: list, const: one } = values
  const fitting = list?.filter((value) => isOfType(value, type))
  if (fitting?.length === 0 || (one !== undefined && !isOfType(one, type))) return undefined
  if (type === 'null') return {}
  return { ...(fitting === undefined ? {} : { enum: fitting }), ...(one === undefined ? {} : { const: one }) }
}

/** The values as schemas of their own, where those of the types cannot hold them. */
export function readValues(
  schema: JsonObject,
  { types, place }: { readonly types: readonly TypeName[] | undefined; readonly place: ReadPlace },
  context: ReadContext,
): readonly JsonSchema[] {
  const { enum: list, const: one } = namedValues(schema)
  if (schema['enum'] !== undefined && list === undefined)
    context.loosen(place.path, 'enum', 'it is no list of values')
  if (takesValues(types)) return []
  return [...(list === undefined ? [] : [{ enum: list }]), ...(one === undefined ? [] : [{ const: one }])]
}
