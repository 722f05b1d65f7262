import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { schemasIn, type Loosened, type PlacedSchema } from '@troupe/schema/json-schema'
import { convertSchema } from '../schemas/convert-schema.ts'
import type { SchemaTargetName } from '../schemas/schema-target.ts'

/** A schema of an answer as a provider takes it. */
export interface ProviderSchema {
  readonly schema: JsonObject
  /** True: the provider can hold the model to it. */
  readonly strict: boolean
  /** What the provider does not enforce. It is checked here, once the answer is there. */
  readonly loosened: readonly Loosened[]
}

/** What strict mode of OpenAI refuses and what cannot be left out without losing the shape. */
const OPENAI_REFUSED: ReadonlySet<string> = new Set(
  'allOf not if then else dependentRequired dependentSchemas patternProperties unevaluatedProperties unevaluatedItems'.split(
    ' ',
  ),
)

/** The schema of an answer as the provider accepts it, and what is lost on the way. Equal for equal input; never throws. */
export function providerSchema(provider: string, schema: JsonObject): ProviderSchema {
  if (provider === 'anthropic') return strictly('anthropic-output', schema)
  if (provider === 'google') return strictly('google', schema)
  if (provider === 'ollama') return { schema, strict: true, loosened: [] }
  const why = whyNotStrict(schema)
  if (why === undefined) return strictly('openai-strict', schema)
  return { schema, strict: false, loosened: [{ path: '', keyword: 'strict', why }] }
}

function strictly(target: SchemaTargetName, given: JsonObject): ProviderSchema {
  const { schema, loosened, unenforced } = convertSchema(target, given)
  return { schema, strict: true, loosened: [...loosened, ...unenforced] }
}

/** Strict mode takes closed objects whose properties are all required, and only simple keywords. */
function whyNotStrict(schema: JsonObject): string | undefined {
  for (const placed of schemasIn(schema)) {
    const keyword = Object.keys(placed.schema).find((name) => OPENAI_REFUSED.has(name))
    if (keyword !== undefined) return `${placeText(placed)} has ${keyword}`
    const open = openPart(placed)
    if (open !== undefined) return open
  }
  return undefined
}

function openPart(placed: PlacedSchema): string | undefined {
  const { properties, additionalProperties, required } = placed.schema
  if (placed.schema['type'] !== 'object' && properties === undefined) return undefined
  const at = placeText(placed)
  if (!isJsonObject(properties)) return `${at} is an object of any properties`
  if (isJsonObject(additionalProperties) || additionalProperties === true)
    return `${at} takes further properties`
  const needed: readonly Json[] = Array.isArray(required) ? (required as readonly Json[]) : []
  const optional = Object.keys(properties).find((name) => !needed.includes(name))
  return optional === undefined ? undefined : `${placed.path}/${optional} is optional`
}

function placeText({ path }: PlacedSchema): string {
  return path === '' ? 'the root' : path
}
