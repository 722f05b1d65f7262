import type { Json } from '../json.ts'

/**
 * JSON Schema as a union (D10–D17): `type` tells the kinds of values apart, and where there is none the one keyword that is there does. Other
 * ways of saying the same are brought into this form by `readJsonSchema`.
 */
export type JsonSchema = SchemaKinds[SchemaKind]

/** The schemas of the union by kind; `schemaKind` tells it. */
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

/** The name of a kind of schema. */
export type SchemaKind = keyof SchemaKinds

/** What every schema may carry (D11). */
export interface SchemaBase {
  readonly title?: string
  readonly description?: string
  /** At the root: the schemas that `$ref` names. */
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/** Text (D12). Lengths count characters, not UTF-16 units. */
export interface StringSchema extends SchemaBase {
  readonly type: 'string'
  readonly enum?: readonly string[]
  readonly const?: string
  readonly default?: string
  readonly examples?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
  /** Run in linear time or not at all: no lookarounds, no backreferences. */
  readonly pattern?: string
  /** Tells the model what is meant; it is not checked. */
  readonly format?: string
}

/** A number or a whole number; `type` tells which (D13). */
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

/** True or false (D14). */
export interface BooleanSchema extends SchemaBase {
  readonly type: 'boolean'
  readonly enum?: readonly boolean[]
  readonly const?: boolean
  readonly default?: boolean
}

/** Nothing but null. */
export interface NullSchema extends SchemaBase {
  readonly type: 'null'
  readonly default?: null
}

/** A list; `items` is the schema of every member, or one schema a position (D15). */
export interface ArraySchema extends SchemaBase {
  readonly type: 'array'
  readonly items: JsonSchema | readonly JsonSchema[]
  /** What follows the positions, where `items` is a list. Default: anything. */
  readonly additionalItems?: boolean | JsonSchema
  readonly default?: readonly Json[]
  readonly examples?: readonly Json[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
}

/** An object (D16). */
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

/** What schemas carry whose values may be of any type. */
interface UntypedBase extends SchemaBase {
  readonly type?: undefined
  readonly default?: Json
  readonly examples?: readonly Json[]
}

/** One of a list of values of any types. */
export interface EnumSchema extends UntypedBase {
  readonly enum: readonly Json[]
}

/** One value. */
export interface ConstSchema extends UntypedBase {
  readonly const: Json
}

/** What fits at least one of several. */
export interface AnyOfSchema extends UntypedBase {
  readonly anyOf: readonly JsonSchema[]
}

/** What fits exactly one of several. */
export interface OneOfSchema extends UntypedBase {
  readonly oneOf: readonly JsonSchema[]
}

/** What fits all of several. */
export interface AllOfSchema extends UntypedBase {
  readonly allOf: readonly JsonSchema[]
}

/** What a schema in the `$defs` of the root says, `#/$defs/<name>`, or the root itself, `#`. Nothing is ever fetched. */
export interface RefSchema extends UntypedBase {
  readonly $ref: string
}

/** Anything. */
export interface AnySchema extends UntypedBase {
  readonly enum?: undefined
}

/** Nothing at all. */
export interface NeverSchema extends UntypedBase {
  readonly not: Readonly<Record<string, never>>
}

/** The root of a tool's parameters is an object (D17). */
export type ToolInputSchema = ObjectSchema
