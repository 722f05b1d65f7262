import * as z from 'zod'
import { troupeError } from '../errors/errors.ts'
import type { JsonObject, MaybePromise } from '../text/json.ts'

/** One problem of a value. */
interface SchemaIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/**
 * A schema with types, as defined by Standard Schema (https://standardschema.dev): from zod 4 or another
 * library, in any copy of it.
 */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: Output; readonly issues?: undefined }
      | { readonly issues: readonly SchemaIssue[] }
      | Promise<
          | { readonly value: Output; readonly issues?: undefined }
          | { readonly issues: readonly SchemaIssue[] }
        >
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Converts the schema to JSON Schema. Available since Standard JSON Schema. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>
    }
  }
}

/**
 * Returns true for a schema of a library. JSON and YAML values never match, because the test is for a
 * function.
 */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard = (value as Partial<StandardSchema>)['~standard'] as unknown
  return typeof (standard as { readonly validate?: unknown } | undefined)?.validate === 'function'
}

/**
 * Returns the JSON Schema of the input of a schema. Throws `invalid_schema` if its library cannot convert it.
 */
export function standardJsonSchema(schema: StandardSchema): JsonObject {
  if ('_zod' in schema) {
    const options = { io: 'input', unrepresentable: 'any' } as const
    return z.toJSONSchema(schema as unknown as z.ZodType, options) as unknown as JsonObject
  }
  const { vendor, jsonSchema } = schema['~standard']
  if (jsonSchema !== undefined) return jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject
  throw troupeError('invalid_schema', `A schema of ${vendor} cannot be converted to JSON Schema.`, {
    fix: 'Pass a JSON Schema, or a schema of a library that implements Standard JSON Schema, such as zod 4.',
  })
}

/** Validates a value and returns it with defaults and transforms applied. Throws `tool_bad_arguments`. */
export function parseStandard<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): MaybePromise<Output> {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? result.then(valueOf) : valueOf(result)
}

function valueOf<Output>(
  result:
    | { readonly value: Output; readonly issues?: undefined }
    | { readonly issues: readonly SchemaIssue[] },
): Output {
  if (result.issues === undefined) return result.value
  throw troupeError(
    'tool_bad_arguments',
    `The arguments do not match the schema: ${result.issues.map(toText).join('; ')}`,
  )
}

function toText({ path = [], message }: SchemaIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`
}
