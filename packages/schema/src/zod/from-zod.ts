import * as z from 'zod/v4'
import { troupeError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import { standardJsonSchema, type StandardSchema } from '../standard-schema.ts'
import type { JsonSchema } from '../json-schema/json-schema.ts'
import type { SchemaRelaxation } from '../json-schema/schema-relaxation.ts'
import { readJsonSchema } from '../json-schema/read-json-schema.ts'
import { isCodeOnlyCheck } from './zod-checks.ts'

/** zod types whose values do not exist in JSON. */
const NON_JSON_TYPES: ReadonlySet<string> = new Set(
  'bigint symbol undefined void date map set nan custom function file'.split(' '),
)

/**
 * Converts a schema of zod or another Standard Schema library to a `JsonSchema` of its input. Conditions in
 * code (`refine`) and types that JSON does not have are lost; for zod, they are listed as relaxations. Throws
 * `invalid_schema` if the library has no JSON Schema for it or if it is too large.
 */
export function schemaFromZod(schema: StandardSchema): {
  readonly schema: JsonSchema
  readonly relaxations: readonly SchemaRelaxation[]
} {
  const zodRelaxations: SchemaRelaxation[] = []
  const reading = readJsonSchema(
    '_zod' in schema ? zodJsonSchema(schema, zodRelaxations) : standardJsonSchema(schema),
  )
  if (reading.ok) return { schema: reading.schema, relaxations: [...zodRelaxations, ...reading.relaxations] }
  throw troupeError('invalid_schema', `The schema cannot be used: ${reading.problem}.`)
}

function zodJsonSchema(schema: StandardSchema, zodRelaxations: SchemaRelaxation[]): JsonObject {
  const converted = z.toJSONSchema(schema as unknown as z.ZodType, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, path }) => {
      const at = toValuePath(path)
      const { type, checks = [] } = (zodSchema as unknown as z.ZodType).def
      if (NON_JSON_TYPES.has(type))
        zodRelaxations.push({ path: at, keyword: type, why: 'JSON has no such values' })
      if (checks.some(isCustomCheck)) zodRelaxations.push({ path: at, keyword: 'refine', why: 'it is code' })
    },
  })
  return converted as unknown as JsonObject
}

/** Returns true for a condition in code, such as `refine`. */
function isCustomCheck(check: z.core.$ZodCheck): boolean {
  // oxlint-disable-next-line no-underscore-dangle -- there is no other way to a check's definition
  return check._zod.def.check === 'custom' && isCodeOnlyCheck(check)
}

/** Converts a path in the schema (`properties`, name, `items`, …) to the path of the values. */
function toValuePath(path: readonly (string | number)[]): string {
  let valuePath = ''
  for (let index = 0; index < path.length; index += 1) {
    const key = path[index]
    if (key === 'properties') valuePath += `/${String(path[(index += 1)])}`
    else if (key === 'items' || key === 'prefixItems' || key === 'additionalProperties') valuePath += '/*'
  }
  return valuePath
}
