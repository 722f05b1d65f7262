import { isSchemaOf } from '../json-schema/schema-kind.ts'
import { definitionName } from '../json-schema/references.ts'
import { visitSchema, type SchemaVisitor } from '../json-schema/visit-schema.ts'
import type { JsonSchema, NumericSchema, ObjectSchema } from '../json-schema/json-schema.ts'
import type { Json } from '../json.ts'
import { fieldLabel } from './field-label.ts'
import type { FieldBase, FormField, JsonField, NumberField } from './form-field.ts'

/** Fields of one form: references that mention each other could make any number. */
const MAX_FIELDS = 1000

/**
 * The fields of a form for an object of the schema, in the order of its properties. What refers to itself, or is too much, is one field for JSON;
 * so is everything that a form cannot ask. Schemas of others go through `readJsonSchema` first.
 */
export function formFields(schema: JsonSchema): readonly FormField[] {
  const root: FormContext = { root: schema, way: new Set(['#']), budget: { left: MAX_FIELDS }, place: ROOT }
  const field = toField(schema, root)
  return field.kind === 'group' ? field.fields : [field]
}

const ROOT = { name: '', required: true, nullable: false } as const

interface FormContext {
  readonly root: JsonSchema
  /** The references on the way here. */
  readonly way: ReadonlySet<string>
  readonly budget: { left: number }
  readonly place: Pick<FieldBase, 'name' | 'required' | 'nullable'>
}

function toField(schema: JsonSchema, context: FormContext): FormField {
  context.budget.left -= 1
  return context.budget.left < 0 ? toJson(schema, context) : visitSchema(schema, FIELDS, context)
}

const FIELDS: SchemaVisitor<FormField, FormContext> = {
  string: (schema, context) => {
    const { minLength, maxLength, pattern, format } = schema
    if (schema.enum !== undefined || schema.const !== undefined) return toChoice(schema, context)
    return { ...baseOf(schema, context), kind: 'text', ...given({ minLength, maxLength, pattern, format }) }
  },
  numeric: (schema, context) =>
    schema.enum !== undefined || schema.const !== undefined
      ? toChoice(schema, context)
      : { ...baseOf(schema, context), kind: 'number', ...limitsOf(schema) },
  boolean: (schema, context) =>
    schema.enum !== undefined || schema.const !== undefined
      ? toChoice(schema, context)
      : { ...baseOf(schema, context), kind: 'switch' },
  null: (schema, context) => ({ ...baseOf(schema, context), kind: 'choice', options: [null] }),
  array: (schema, context) => {
    const { items, minItems, maxItems, uniqueItems } = schema
    if (!isOne(items)) return toJson(schema, context)
    const item = toField(items, at(context, { name: '', required: true }))
    const limits = given({ minItems, maxItems })
    return { ...baseOf(schema, context), kind: 'list', item, isUnique: uniqueItems === true, ...limits }
  },
  object: toGroup,
  enum: toChoice,
  const: toChoice,
  anyOf: (schema, context) => toVariant(schema, schema.anyOf, context),
  oneOf: (schema, context) => toVariant(schema, schema.oneOf, context),
  allOf: (schema, context) => toMerged(schema, schema.allOf, context),
  ref: (schema, context) => {
    const target = context.way.has(schema.$ref) ? undefined : definition(schema.$ref, context)
    if (target === undefined) return toJson(schema, context)
    const field = toField(target, { ...context, way: new Set([...context.way, schema.$ref]) })
    return { ...field, ...notesOf(schema) }
  },
  any: toJson,
  never: toJson,
}

function toGroup(schema: ObjectSchema, context: FormContext): FormField {
  const { properties = {}, required = [], additionalProperties } = schema
  const fields = Object.entries(properties).map(([name, inner]) =>
    toField(inner, at(context, { name, required: required.includes(name) })),
  )
  if (fields.length === 0 && additionalProperties !== false) return toJson(schema, context)
  return { ...baseOf(schema, context), kind: 'group', fields, isOpen: additionalProperties !== false }
}

function toChoice(
  schema: JsonSchema & { readonly enum?: readonly Json[]; readonly const?: Json },
  context: FormContext,
): FormField {
  const { enum: list = [], const: one } = schema
  return { ...baseOf(schema, context), kind: 'choice', options: one === undefined ? list : [one] }
}

/** An alternative to null is no other shape. */
function toVariant(schema: JsonSchema, members: readonly JsonSchema[], context: FormContext): FormField {
  const others = members.filter((member) => !isSchemaOf(member, 'null'))
  const nullable = context.place.nullable || others.length < members.length
  const [only] = others
  const place = { ...context, place: { ...context.place, nullable } }
  if (only !== undefined && others.length === 1) return { ...toField(only, place), ...notesOf(schema) }
  const options = others.map((member, index) =>
    toField(member, at(context, { name: String(index), required: true })),
  )
  const values = options.flatMap((option) => (option.kind === 'choice' ? option.options : []))
  if (options.every(({ kind }) => kind === 'choice'))
    return { ...baseOf(schema, place), kind: 'choice', options: values }
  return { ...baseOf(schema, place), kind: 'variant', options }
}

/** Objects that hold together are one; of anything else it is not known what they come to. */
function toMerged(schema: JsonSchema, members: readonly JsonSchema[], context: FormContext): FormField {
  const groups = members.map((member) => toField(member, context)).filter((field) => field.kind === 'group')
  if (groups.length < members.length) return toJson(schema, context)
  const fields = new Map<string, FormField>()
  for (const field of groups.flatMap((group) => group.fields)) {
    const known = fields.get(field.name)
    fields.set(
      field.name,
      known === undefined ? field : { ...known, required: known.required || field.required },
    )
  }
  const isOpen = groups.every((group) => group.isOpen)
  return { ...baseOf(schema, context), kind: 'group', fields: [...fields.values()], isOpen }
}

function toJson(schema: JsonSchema, context: FormContext): JsonField {
  return { ...baseOf(schema, context), kind: 'json' }
}

function limitsOf({ type, minimum, maximum, ...rest }: NumericSchema): Pick<NumberField, 'isInteger'> {
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = rest
  const isAbove = above !== undefined && above >= (minimum ?? -Infinity)
  const isBelow = below !== undefined && below <= (maximum ?? Infinity)
  return {
    isInteger: type === 'integer',
    ...given({ minimum: isAbove ? above : minimum, maximum: isBelow ? below : maximum, step }),
    ...(isAbove ? { isAboveMinimum: true } : {}),
    ...(isBelow ? { isBelowMaximum: true } : {}),
  }
}

function baseOf(schema: JsonSchema, { place }: FormContext): FieldBase {
  return { ...place, label: fieldLabel(place.name), ...notesOf(schema) }
}

/** What the author says of a schema, which counts more than what a definition says. */
function notesOf(
  schema: JsonSchema,
): Partial<Pick<FieldBase, 'label' | 'description' | 'default' | 'examples'>> {
  const { title, description } = schema
  const { default: preset, examples } = schema as {
    readonly default?: Json
    readonly examples?: readonly Json[]
  }
  return given({ label: title, description, default: preset, examples })
}

function at(context: FormContext, place: Pick<FieldBase, 'name' | 'required'>): FormContext {
  return { ...context, place: { ...place, nullable: false } }
}

function definition(reference: string, { root }: FormContext): JsonSchema | undefined {
  const name = definitionName(reference)
  if (name === undefined) return root
  const { $defs = {} } = root
  return Object.hasOwn($defs, name) ? $defs[name] : undefined
}

function isOne(items: JsonSchema | readonly JsonSchema[]): items is JsonSchema {
  return !Array.isArray(items)
}

/** The members that have a value. */
function given<Members extends object>(
  members: Members,
): { [Key in keyof Members]?: Exclude<Members[Key], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Members]?: Exclude<Members[Key], undefined>
  }
}
