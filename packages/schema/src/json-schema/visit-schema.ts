import type { JsonSchema, SchemaKind, SchemaKinds } from './json-schema.ts'
import { schemaKind } from './schema-kind.ts'

/** What to do with a schema of each kind; the compiler asks for every one of them. */
export type SchemaVisitor<Result, Context = undefined> = {
  readonly [Kind in SchemaKind]: (schema: SchemaKinds[Kind], context: Context) => Result
}

/** Calls what the visitor has for the kind of the schema. Schemas inside it are left to the visitor. */
export function visitSchema<Result>(schema: JsonSchema, visitor: SchemaVisitor<Result>): Result
/** The same with something to hand on. */
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
