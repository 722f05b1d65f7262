import type { Json } from '../text/json.ts'

/**
 * JSON Schema as a union, discriminated by `type` or, without a type, by the one keyword that is present.
 * `readJsonSchema` converts other forms to this one.
 */
export type JsonSchema = SchemaKinds[SchemaKind]

/** Members of the union by kind. `schemaKind` returns the kind of a schema. */
export interface SchemaKinds {
  readonly string: StringSchema
  readonly numeric: NumericSchema
  readonly boolean: BooleanSchema
  readonly null: NullSchema
  readonly array: ArraySchema
  readonly object: ObjectSchema
  readonly enum: EnumSchema
  readonly const: ConstSchema
  readonly anyOf: AnyOfSchema
  readonly oneOf: OneOfSchema
  readonly allOf: AllOfSchema
  readonly ref: RefSchema
  readonly any: AnySchema
  readonly never: NeverSchema
}

/** Name of a kind of schema. */
export type SchemaKind = keyof SchemaKinds

/** Keywords that every schema may have. */
export interface SchemaBase {
  readonly title?: string
  readonly description?: string
  /** At the root: definitions that `$ref` refers to. */
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/** A string schema. Lengths count characters, not UTF-16 units. */
export interface StringSchema extends SchemaBase {
  readonly type: 'string'
  readonly enum?: readonly string[]
  readonly const?: string
  readonly default?: string
  readonly examples?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
  /**
   * A regular expression. It runs in linear time or not at all: lookarounds and backreferences are not
   * supported.
   */
  readonly pattern?: string
  /** A hint for the model. Not checked. */
  readonly format?: string
}

/** A number or integer schema. */
export interface NumericSchema extends SchemaBase {
  readonly type: 'number' | 'integer'
  readonly enum?: readonly number[]
  readonly const?: number
  readonly default?: number
  readonly examples?: readonly number[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
}

/** A boolean schema. */
export interface BooleanSchema extends SchemaBase {
  readonly type: 'boolean'
  readonly enum?: readonly boolean[]
  readonly const?: boolean
  readonly default?: boolean
}

/** A schema that accepts only `null`. */
export interface NullSchema extends SchemaBase {
  readonly type: 'null'
  readonly default?: null
}

/** An array schema. `items` is one schema for all items, or a list with one schema per position. */
export interface ArraySchema extends SchemaBase {
  readonly type: 'array'
  readonly items: JsonSchema | readonly JsonSchema[]
  /** Schema of the items after the listed positions. Default: any value. */
  readonly additionalItems?: boolean | JsonSchema
  readonly default?: readonly Json[]
  readonly examples?: readonly Json[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
}

/** An object schema. */
export interface ObjectSchema extends SchemaBase {
  readonly type: 'object'
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly default?: Readonly<Record<string, Json>>
  readonly examples?: readonly Json[]
  readonly minProperties?: number
  readonly maxProperties?: number
}

/** Keywords of schemas for values of any type. */
interface UntypedBase extends SchemaBase {
  readonly type?: undefined
  readonly default?: Json
  readonly examples?: readonly Json[]
}

/** A list of allowed values of any types. */
export interface EnumSchema extends UntypedBase {
  readonly enum: readonly Json[]
}

/** A single allowed value. */
export interface ConstSchema extends UntypedBase {
  readonly const: Json
}

/** A schema for values that match at least one of several schemas. */
export interface AnyOfSchema extends UntypedBase {
  readonly anyOf: readonly JsonSchema[]
}

/** A schema for values that match exactly one of several schemas. */
export interface OneOfSchema extends UntypedBase {
  readonly oneOf: readonly JsonSchema[]
}

/** A schema for values that match all of several schemas. */
export interface AllOfSchema extends UntypedBase {
  readonly allOf: readonly JsonSchema[]
}

/**
 * A reference to `#/$defs/<name>` of the root schema, or to the root itself, `#`. Nothing is ever fetched.
 */
export interface RefSchema extends UntypedBase {
  readonly $ref: string
}

/** A schema that accepts any value. */
export interface AnySchema extends UntypedBase {
  readonly enum?: undefined
}

/** A schema that accepts no value. */
export interface NeverSchema extends UntypedBase {
  readonly not: Readonly<Record<string, never>>
}

/** Schema of the parameters of a tool. */
export type ToolInputSchema = ObjectSchema
