import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { schemasIn, type SchemaRelaxation, type LocatedSchema } from '@troupe/json-schema'
import { convertSchema } from '../schemas/convert-schema.ts'
import type { SchemaTargetName } from '../schemas/schema-target.ts'

/** A schema for structured output, as a provider accepts it. */
interface ProviderSchema {
  readonly schema: JsonObject
  /** True if the provider can enforce the schema. */
  readonly strict: boolean
  /** Parts that the provider does not enforce. Answers are validated against the original schema. */
  readonly relaxations: readonly SchemaRelaxation[]
}

/** Keywords that OpenAI's strict mode rejects and that cannot be removed without changing the shape. */
const OPENAI_REFUSED: ReadonlySet<string> = new Set(
  'allOf not if then else dependentRequired dependentSchemas patternProperties unevaluatedProperties unevaluatedItems'.split(
    ' ',
  ),
)

/** Converts a schema for structured output. Deterministic; never throws. */
export function providerSchema(provider: string, schema: JsonObject): ProviderSchema {
  if (provider === 'anthropic') return convertStrict('anthropic-output', schema)
  if (provider === 'google') return convertStrict('google', schema)
  if (provider === 'ollama') return { schema, strict: true, relaxations: [] }
  const why = strictModeProblem(schema)
  if (why === undefined) return convertStrict('openai-strict', schema)
  return { schema, strict: false, relaxations: [{ path: '', keyword: 'strict', why }] }
}

function convertStrict(target: SchemaTargetName, given: JsonObject): ProviderSchema {
  const { schema, relaxations, unenforced } = convertSchema(target, given)
  return { schema, strict: true, relaxations: [...relaxations, ...unenforced] }
}

/**
 * Returns the reason why OpenAI's strict mode cannot be used. It requires closed objects with all properties
 * required, and simple keywords.
 */
function strictModeProblem(schema: JsonObject): string | undefined {
  for (const placed of schemasIn(schema)) {
    const keyword = Object.keys(placed.schema).find((name) => OPENAI_REFUSED.has(name))
    if (keyword !== undefined) return `${placeText(placed)} has ${keyword}`
    const open = openPart(placed)
    if (open !== undefined) return open
  }
  return undefined
}

function openPart(placed: LocatedSchema): string | undefined {
  const { properties, additionalProperties, required } = placed.schema
  if (placed.schema['type'] !== 'object' && properties === undefined) return undefined
  const at = placeText(placed)
  if (!isJsonObject(properties)) return `${at} is an object with arbitrary properties`
  if (isJsonObject(additionalProperties) || additionalProperties === true)
    return `${at} allows additional properties`
  const needed: readonly Json[] = Array.isArray(required) ? (required as readonly Json[]) : []
  const optional = Object.keys(properties).find((name) => !needed.includes(name))
  return optional === undefined ? undefined : `${placed.path}/${optional} is optional`
}

function placeText({ path }: LocatedSchema): string {
  return path === '' ? 'the root' : path
}
