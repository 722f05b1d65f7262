import type { JsonSchema, SchemaKind, SchemaKinds } from './json-schema.ts'
import { schemaKind } from './schema-kind.ts'

/** Functions for every kind of schema. The compiler reports missing ones. */
export type SchemaVisitor<Result, Context = undefined> = {
  readonly [Kind in SchemaKind]: (schema: SchemaKinds[Kind], context: Context) => Result
}

/** Calls the visitor's function for the kind of the schema. The visitor handles subschemas itself. */
export function visitSchema<Result>(schema: JsonSchema, visitor: SchemaVisitor<Result>): Result
/** Passes a context to the visitor's function. */
export function visitSchema<Result, Context>(
  schema: JsonSchema,
  visitor: SchemaVisitor<Result, Context>,
  context: Context,
): Result
export function visitSchema<Result, Context>(
  schema: JsonSchema,
  visitor: SchemaVisitor<Result, Context>,
  context?: Context,
): Result {
  const visit = visitor[schemaKind(schema)] as (schema: JsonSchema, context?: Context) => Result
  return visit(schema, context)
}
