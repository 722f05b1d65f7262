import { isJsonObject, type JsonObject } from '@troupe/schema'
import { schemasIn } from '@troupe/schema/json-schema'
import { providerSchema } from './provider-schema.ts'

/** How a model gives an answer of a schema: in its provider's own mode, or as the arguments of a last tool call. */
export const ANSWER_FORMS = ['native', 'tool'] as const
/** See {@link ANSWER_FORMS}. */
export type AnswerForm = (typeof ANSWER_FORMS)[number]

/** A model as its provider names it. */
export interface NamedModel {
  readonly provider: string
  readonly name: string
}

/** Models that were there before their provider had a mode for schemas. */
const OLDER: Readonly<Record<string, RegExp>> = {
  openai: /^(?:gpt-3|gpt-4(?:-|$)|o1-(?:mini|preview)|chatgpt-)/u,
  anthropic: /^claude-(?:2|3|instant|(?:opus|sonnet)-4(?:-0|-2025\d{4})?$)/u,
}
/** Gemini before 3 refuses a schema beside tools. */
const GEMINI_2 = /^gemini-[12]/u

/** How the model is best asked for an answer of the schema, where neither the card nor the configuration says so. */
export function answerForm(
  { provider, name }: NamedModel,
  call: { readonly schema: JsonObject; readonly hasTools: boolean },
): AnswerForm {
  if (Object.hasOwn(OLDER, provider) && OLDER[provider]?.test(name) === true) return 'tool'
  if (!isPlainObject(call.schema) && provider !== 'google' && provider !== 'ollama') return 'tool'
  if (provider === 'anthropic') return isOpen(call.schema) ? 'tool' : 'native'
  if (provider === 'google') return call.hasTools && GEMINI_2.test(name) ? 'tool' : 'native'
  // a grammar for the answer leaves no room for tool calls
  if (provider === 'ollama') return call.hasTools ? 'tool' : 'native'
  // its adapter has no way to say that a schema is not strict
  if (provider === 'openrouter') return providerSchema(provider, call.schema).strict ? 'native' : 'tool'
  return 'native'
}

/** True for a schema whose root is an object and nothing else: what schemas of tools have to be, too. */
export function isPlainObject(schema: JsonObject): boolean {
  return (
    schema['type'] === 'object' && !['anyOf', 'oneOf', 'allOf', 'enum', 'not'].some((key) => key in schema)
  )
}

/** Anthropic closes every object, so that a map would stay empty, and refuses schemas that refer to themselves. */
function isOpen(root: JsonObject): boolean {
  for (const { schema } of schemasIn(root)) {
    const { properties, additionalProperties } = schema
    if (isJsonObject(additionalProperties) || additionalProperties === true) return true
    if (schema['type'] === 'object' && properties === undefined) return true
    if (typeof schema['$ref'] === 'string') return true
  }
  return false
}
