import type { JsonSchema, SchemaKind, SchemaKinds } from './json-schema.ts'

/** All kinds; the type ensures that none is missing. */
const KINDS: Readonly<Record<SchemaKind, true>> = {
  string: true,
  numeric: true,
  boolean: true,
  null: true,
  array: true,
  object: true,
  enum: true,
  const: true,
  anyOf: true,
  oneOf: true,
  allOf: true,
  ref: true,
  any: true,
  never: true,
}

/** All kinds of schemas, in the order of declaration. */
export const SCHEMA_KINDS: readonly SchemaKind[] = Object.keys(KINDS) as SchemaKind[]

/** Keywords that determine the kind of a schema without `type`. The first one present counts. */
const KIND_KEYWORDS = ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'] as const
const KIND_OF: Readonly<Record<(typeof KIND_KEYWORDS)[number], SchemaKind>> = {
  $ref: 'ref',
  anyOf: 'anyOf',
  oneOf: 'oneOf',
  allOf: 'allOf',
  enum: 'enum',
  const: 'const',
  not: 'never',
}

/** Returns the kind of a schema. */
export function schemaKind(schema: JsonSchema): SchemaKind {
  const { type } = schema
  if (type === 'number' || type === 'integer') return 'numeric'
  if (type !== undefined) return type
  const kindKeyword = KIND_KEYWORDS.find((keyword) => Object.hasOwn(schema, keyword))
  return kindKeyword === undefined ? 'any' : KIND_OF[kindKeyword]
}

/** Returns true if a schema is of the kind, and narrows its type. */
export function isSchemaOf<Kind extends SchemaKind>(
  schema: JsonSchema,
  kind: Kind,
): schema is SchemaKinds[Kind] {
  return schemaKind(schema) === kind
}
