import { isJsonObject, type JsonObject, type Json } from '@troupe/schema'
import { schemasIn, type SchemaRelaxation, type LocatedSchema } from '@troupe/json-schema'
import { convertSchema } from '../schemas/convert-schema.ts'
import type { SchemaTargetName } from '../schemas/schema-target.ts'

/** Methods for structured output: the provider's own mode, or the arguments of a final tool call. */
export const ANSWER_FORMS = ['native', 'tool'] as const
/** One of {@link ANSWER_FORMS}. */
export type AnswerForm = (typeof ANSWER_FORMS)[number]

/** A model by provider and the provider's model name. */
export interface NamedModel {
  readonly provider: string
  readonly name: string
}

/** Models older than their provider's structured output mode. */
const OLDER: Readonly<Record<string, RegExp>> = {
  openai: /^(?:gpt-3|gpt-4(?:-|$)|o1-(?:mini|preview)|chatgpt-)/u,
  anthropic: /^claude-(?:2|3|instant|(?:opus|sonnet)-4(?:-0|-2025\d{4})?$)/u,
}
/** Providers whose structured output mode is missing, depends on the model, or excludes tools. */
const TOOL_FORM: ReadonlySet<string> = new Set(['bedrock', 'groq', 'deepseek', 'cohere', 'other'])
/** Gemini before version 3 rejects a schema in combination with tools. */
const GEMINI_2 = /^gemini-[12]/u

/** Returns the default answer form of a model for a schema. */
export function answerForm(
  { provider, name }: NamedModel,
  call: { readonly schema: JsonObject; readonly hasTools: boolean },
): AnswerForm {
  if (Object.hasOwn(OLDER, provider) && OLDER[provider]?.test(name) === true) return 'tool'
  if (TOOL_FORM.has(provider)) return 'tool'
  if (!isPlainObject(call.schema) && provider !== 'google' && provider !== 'ollama') return 'tool'
  if (provider === 'anthropic') return isOpen(call.schema) ? 'tool' : 'native'
  if (provider === 'google') return call.hasTools && GEMINI_2.test(name) ? 'tool' : 'native'
  // a grammar for the answer excludes tool calls
  if (provider === 'ollama') return call.hasTools ? 'tool' : 'native'
  // its adapter cannot send a schema that is not strict
  if (provider === 'openrouter') return providerSchema(provider, call.schema).strict ? 'native' : 'tool'
  return 'native'
}

/** Returns true if the root of the schema is a plain object, as required for tool schemas. */
export function isPlainObject(schema: JsonObject): boolean {
  return (
    schema['type'] === 'object' && !['anyOf', 'oneOf', 'allOf', 'enum', 'not'].some((key) => key in schema)
  )
}

/**
 * Returns true for schemas with maps or references. Anthropic disallows additional properties, so that maps
 * would stay empty, and rejects recursive schemas.
 */
function isOpen(root: JsonObject): boolean {
  for (const { schema } of schemasIn(root)) {
    const { properties, additionalProperties } = schema
    if (isJsonObject(additionalProperties) || additionalProperties === true) return true
    if (schema['type'] === 'object' && properties === undefined) return true
    if (typeof schema['$ref'] === 'string') return true
  }
  return false
}

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
