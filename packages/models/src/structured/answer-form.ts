import { isJsonObject, type JsonObject } from '@troupe/schema'
import { schemasIn } from '@troupe/json-schema'
import { providerSchema } from './provider-schema.ts'

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
/** Gemini before version 3 rejects a schema in combination with tools. */
const GEMINI_2 = /^gemini-[12]/u

/** Returns the default answer form of a model for a schema. */
export function answerForm(
  { provider, name }: NamedModel,
  call: { readonly schema: JsonObject; readonly hasTools: boolean },
): AnswerForm {
  if (Object.hasOwn(OLDER, provider) && OLDER[provider]?.test(name) === true) return 'tool'
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
