import type { Json, JsonObject } from '../json.ts'
import type { JsonSchema } from './json-schema.ts'
import type { ReadContext, SchemaLocation } from './read-context.ts'
import { isOfType, type TypeName } from './type-name.ts'

/** Values listed by a schema. */
export interface NamedValues {
  readonly enum?: readonly Json[]
  readonly const?: Json
}

const SCALARS: ReadonlySet<TypeName> = new Set(['string', 'number', 'integer', 'boolean', 'null'])

/** Returns `enum` and `const` of a schema. Ignores an empty or invalid list. */
export function namedValues(schema: JsonObject): NamedValues {
  const { enum: list, const: one } = schema
  return {
    ...(Array.isArray(list) && list.length > 0 ? { enum: list as readonly Json[] } : {}),
    ...(one === undefined ? {} : { const: one }),
  }
}

/** Returns true if the schemas of these types can hold listed values. */
export function takesValues(types: readonly TypeName[] | undefined): types is readonly TypeName[] {
  return types !== undefined && types.every((type) => SCALARS.has(type))
}

/** Returns the listed values of a type; `undefined` if no value of the type is allowed. */
export function valuesOfType(values: NamedValues, type: TypeName): NamedValues | undefined {
  const { enum: list, const: one } = values
  const fitting = list?.filter((value) => isOfType(value, type))
  if (fitting?.length === 0 || (one !== undefined && !isOfType(one, type))) return undefined
  if (type === 'null') return {}
  return { ...(fitting === undefined ? {} : { enum: fitting }), ...(one === undefined ? {} : { const: one }) }
}

/** Returns separate schemas for listed values that the typed schemas cannot hold. */
export function readValues(
  schema: JsonObject,
  { types, location }: { readonly types: readonly TypeName[] | undefined; readonly location: SchemaLocation },
  context: ReadContext,
): readonly JsonSchema[] {
  const { enum: list, const: one } = namedValues(schema)
  if (schema['enum'] !== undefined && list === undefined)
    context.relax(location.path, 'enum', 'it is no list of values')
  if (takesValues(types)) return []
  return [...(list === undefined ? [] : [{ enum: list }]), ...(one === undefined ? [] : [{ const: one }])]
}
