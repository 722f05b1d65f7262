import * as z from 'zod/v4'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { JsonSchema } from '../json-schema/json-schema.ts'
import type { SchemaRelaxation } from '../json-schema/schema-relaxation.ts'
import { schemasIn } from '../json-schema/map-schema.ts'
import { definitionName } from '../json-schema/references.ts'
import { visitSchema, type SchemaVisitor } from '../json-schema/visit-schema.ts'
import type { ZodContext, ZodOptions } from './zod-context.ts'
import { objectToZod } from './zod-object.ts'
import { listToZod } from './zod-list.ts'
import { numberToZod, textToZod } from './zod-scalars.ts'
import { valueToZod } from './zod-values.ts'

/** A zod schema, and the parts of the JSON Schema that it does not check. */
export interface ZodConversion {
  readonly schema: z.ZodType
  readonly relaxations: readonly SchemaRelaxation[]
}

/**
 * Converts a schema to zod 4, including defaults. Both accept the same values, except for the relaxations.
 * Recursive data is parsed recursively, so use a validator with a budget for untrusted schemas.
 */
export function schemaToZod(schema: JsonSchema, options: ZodOptions = {}): ZodConversion {
  const relaxations = findUncheckedParts(schema, options)
  const isExact = relaxations.length === 0
  const plain = createContext(schema, { ...options, isExact, fills: false })
  const context = createContext(schema, { ...options, isExact, fills: true }, plain)
  return { schema: context.convert(schema), relaxations }
}

function createContext(
  root: JsonSchema,
  options: ZodOptions & Pick<ZodContext, 'isExact' | 'fills'>,
  plain?: ZodContext,
): ZodContext {
  const definitions = new Map(Object.entries(root.$defs ?? {}))
  const convertedReferences = new Map<string, z.ZodType>()
  const context: ZodContext = {
    ...options,
    convert: (schema) => withAnnotations(visitSchema(schema, CONVERTERS, context), schema, options),
    alternative: (schema) => (plain ?? context).convert(schema),
    definition: (reference) => {
      const known = convertedReferences.get(reference)
      if (known !== undefined) return known
      const name = definitionName(reference)
      const target = name === undefined ? root : definitions.get(name)
      const converted = target === undefined ? z.any() : context.convert(target)
      convertedReferences.set(reference, converted)
      return converted
    },
  }
  return context
}

/** Returns the parts of the schema that zod does not check. */
function findUncheckedParts(root: JsonSchema, { pattern: engine }: ZodOptions): readonly SchemaRelaxation[] {
  return [...schemasIn(root as unknown as JsonObject)].flatMap(({ schema, path }) => {
    const { type, pattern, properties } = schema
    const isPatternSkipped =
      type === 'string' && typeof pattern === 'string' && engine?.(pattern) === undefined
    const hasUnsafeProperty = isJsonObject(properties) && Object.hasOwn(properties, '__proto__')
    return [
      ...(isPatternSkipped ? [{ path, keyword: 'pattern', why: 'it is not run' }] : []),
      ...(hasUnsafeProperty ? [{ path, keyword: 'properties', why: 'zod leaves out `__proto__`' }] : []),
    ]
  })
}

const CONVERTERS: SchemaVisitor<z.ZodType, ZodContext> = {
  string: textToZod,
  numeric: numberToZod,
  boolean: (schema) => valueToZod(z.boolean(), schema),
  null: () => z.null(),
  array: listToZod,
  object: objectToZod,
  enum: (schema) => valueToZod(z.any(), schema),
  const: (schema) => valueToZod(z.any(), schema),
  anyOf: ({ anyOf }, { alternative }) => z.union(anyOf.map(alternative)),
  oneOf: ({ oneOf }, { alternative, isExact }) => (isExact ? z.xor : z.union)(oneOf.map(alternative)),
  allOf: ({ allOf }, { alternative }) => intersection(allOf.map(alternative)),
  ref: ({ $ref }, { definition }) => z.lazy(() => definition($ref)),
  any: () => z.any(),
  never: () => z.never(),
}

function intersection(members: readonly z.ZodType[]): z.ZodType {
  const [first = z.any(), ...rest] = members
  return rest.reduce((all, each) => z.intersection(all, each), first)
}

function withAnnotations(
  converted: z.ZodType,
  schema: JsonSchema,
  { fills }: Pick<ZodContext, 'fills'>,
): z.ZodType {
  const { title, description } = schema
  const { default: preset, examples } = schema as { default?: unknown; examples?: readonly unknown[] }
  const notes = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
    ...(preset === undefined || fills ? {} : { default: preset }),
  }
  const noted = Object.keys(notes).length === 0 ? converted : converted.meta(notes)
  // unlike `default`, a prefault is validated
  return preset === undefined || !fills ? noted : noted.prefault(() => structuredClone(preset))
}
