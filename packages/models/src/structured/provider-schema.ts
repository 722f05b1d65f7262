import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { mapSchema, schemasIn, type PlacedSchema } from '@troupe/schema/json-schema'

/** A schema of an answer as a provider takes it. */
export interface ProviderSchema {
  readonly schema: JsonObject
  /** True: the provider can hold the model to it. */
  readonly strict: boolean
  /** What the provider does not enforce. It is checked here, once the answer is there. */
  readonly loosened: readonly string[]
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/u))

/** What strict mode of OpenAI refuses and what says nothing of the shape. */
const OPENAI_DROPPED = words(
  'minLength maxLength uniqueItems minProperties maxProperties contains minContains maxContains propertyNames default examples',
)
/** What strict mode of OpenAI refuses and what cannot be left out without losing the shape. */
const OPENAI_REFUSED = words(
  'allOf not if then else dependentRequired dependentSchemas patternProperties unevaluatedProperties unevaluatedItems',
)
/** What the adapter of Anthropic moves into descriptions. */
const ANTHROPIC_IGNORED = words(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties not',
)
const GOOGLE_IGNORED = words(
  'minLength maxLength pattern uniqueItems multipleOf exclusiveMinimum exclusiveMaximum minProperties maxProperties not if then else contains propertyNames patternProperties dependentRequired dependentSchemas',
)

/** The schema of an answer as the provider accepts it, and what is lost on the way. Equal for equal input; never throws. */
export function providerSchema(provider: string, schema: JsonObject): ProviderSchema {
  if (provider === 'anthropic') return unenforced(schema, ANTHROPIC_IGNORED)
  if (provider === 'google') return unenforced(schema, GOOGLE_IGNORED)
  if (provider === 'ollama') return { schema, strict: true, loosened: [] }
  return openaiSchema(schema)
}

function unenforced(schema: JsonObject, ignored: ReadonlySet<string>): ProviderSchema {
  const loosened = [...schemasIn(schema)].flatMap((placed) => keywordsOf(placed, ignored).map(lost))
  return { schema, strict: true, loosened }
}

function openaiSchema(schema: JsonObject): ProviderSchema {
  const reason = whyNotStrict(schema)
  if (reason !== undefined) return { schema, strict: false, loosened: [`the whole schema, as ${reason}`] }
  const loosened: string[] = []
  const strict = mapSchema(schema, (placed) => {
    loosened.push(...keywordsOf(placed, OPENAI_DROPPED).map(lost))
    return toStrict(placed.schema)
  })
  return { schema: strict, strict: true, loosened }
}

/** Strict mode takes closed objects whose properties are all required, and only simple keywords. */
function whyNotStrict(schema: JsonObject): string | undefined {
  for (const placed of schemasIn(schema)) {
    const [keyword] = keywordsOf(placed, OPENAI_REFUSED)
    if (keyword !== undefined) return `${keyword.path} has ${keyword.name}`
    const open = openPart(placed)
    if (open !== undefined) return open
  }
  return undefined
}

function openPart({ schema, path }: PlacedSchema): string | undefined {
  const { properties, additionalProperties, required } = schema
  if (schema['type'] !== 'object' && properties === undefined) return undefined
  const at = path === '' ? 'the root' : path
  if (!isJsonObject(properties)) return `${at} is an object of any properties`
  if (isJsonObject(additionalProperties) || additionalProperties === true)
    return `${at} takes further properties`
  const needed: readonly Json[] = Array.isArray(required) ? (required as readonly Json[]) : []
  const optional = Object.keys(properties).find((name) => !needed.includes(name))
  return optional === undefined ? undefined : `${path}/${optional} is optional`
}

function toStrict(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([key]) => !OPENAI_DROPPED.has(key))
  const { oneOf, ...rest } = Object.fromEntries(kept)
  return {
    ...rest,
    // one of several is one of several, whether or not others would fit too
    ...(oneOf === undefined ? {} : { anyOf: oneOf }),
    ...(isJsonObject(rest['properties']) ? { additionalProperties: false } : {}),
  }
}

interface Keyword {
  readonly name: string
  readonly path: string
}

function keywordsOf({ schema, path }: PlacedSchema, names: ReadonlySet<string>): readonly Keyword[] {
  return Object.keys(schema)
    .filter((name) => names.has(name))
    .map((name) => ({ name, path: path === '' ? 'the root' : path }))
}

function lost({ name, path }: Keyword): string {
  return `${name} of ${path}`
}
