/** The JSON Schema subset of tool parameters, as a union discriminated by `type` (D10–D17). */

/** What every schema may carry (D11). */
export interface SchemaBase {
  readonly title?: string
  readonly description?: string
}

/** Text (D12). */
export interface StringSchema extends SchemaBase {
  readonly type: 'string'
  readonly enum?: readonly string[]
  readonly default?: string
  readonly examples?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
}

/** A number or a whole number; `type` tells which (D13). */
export interface NumericSchema extends SchemaBase {
  readonly type: 'number' | 'integer'
  readonly enum?: readonly number[]
  readonly default?: number
  readonly examples?: readonly number[]
  readonly minimum?: number
  readonly maximum?: number
}

/** True or false (D14). */
export interface BooleanSchema extends SchemaBase {
  readonly type: 'boolean'
  readonly default?: boolean
}

/** A list; `items` is the schema of every member, or one schema a position (D15). */
export interface ArraySchema extends SchemaBase {
  readonly type: 'array'
  readonly items: JsonSchema | readonly JsonSchema[]
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
  readonly minProperties?: number
  readonly maxProperties?: number
}

/** Any schema of the subset (D10). */
export type JsonSchema = StringSchema | NumericSchema | BooleanSchema | ArraySchema | ObjectSchema

/** The root of a tool's parameters is an object (D17). */
export type ToolInputSchema = ObjectSchema
