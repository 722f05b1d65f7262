import type { Json, JsonObject } from '@troupe/schema'
import { dottedPath, type FieldContext, type FieldOutcome, type FieldRow } from '@troupe/cards/formats'
import { ignored, isText, mappingOf, textOf, translated } from '../rules/field-rule.ts'
import { nestedRows } from '../rules/nested-keys.ts'

const TO_SCHEMA = translated('input.schema')

/** Rows of the documentation for the keys of a parameter. */
export const PARAMETER_ROWS: readonly FieldRow[] = nestedRows('parameters.*', {
  key: TO_SCHEMA,
  input_type: translated('input.schema', 'of a `file`, the caller passes the content'),
  requirement: translated('input.schema', '`user_prompt` without a default is required'),
  description: TO_SCHEMA,
  default: TO_SCHEMA,
  options: TO_SCHEMA,
})

/** Reports how the types of single parameters are interpreted. The schema itself is part of the input. */
export function noteParameters(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const parameters = readParameters(value)
  if (parameters.length === 0) return ignored('there are none')
  for (const [index, { input_type: type, requirement }] of parameters.entries()) {
    const at = [...from, index]
    if (type === 'file')
      rewriter.note({
        key: dottedPath([...at, 'input_type']),
        ...translated('text', 'the caller passes the content of the file, not its path'),
      })
    if (requirement === 'user_prompt')
      rewriter.note({
        key: dottedPath([...at, 'requirement']),
        ...translated('required', 'the value is part of the input, and is not asked for'),
      })
  }
  return undefined
}

/** Returns the input schema of a recipe. */
export function parameterSchema(value: Json | undefined): JsonObject {
  const parameters = readParameters(value)
  const entries = parameters.map((parameter) => [textOf(parameter['key']), toProperty(parameter)] as const)
  const required = parameters.filter(isRequired).map((parameter) => textOf(parameter['key']))
  return {
    type: 'object',
    properties: Object.fromEntries(entries),
    ...(required.length === 0 ? {} : { required }),
  }
}

/** Returns the defaults of a recipe's parameters as text. Parameters without a default are left out. */
export function parameterDefaults(value: Json | undefined): ReadonlyMap<string, string> {
  return new Map(
    readParameters(value).flatMap((parameter): [string, string][] => {
      const { key, default: preset } = parameter
      return isText(key) && preset !== undefined && preset !== null && typeof preset !== 'object'
        ? [[key, String(preset)]]
        : []
    }),
  )
}

function readParameters(value: Json | undefined): readonly JsonObject[] {
  return (Array.isArray(value) ? (value as readonly Json[]) : [])
    .map(mappingOf)
    .filter(({ key }) => isText(key) && key !== '')
}

/** goose asks the user for a value of `user_prompt` that has no default. */
function isRequired({ requirement, default: preset }: JsonObject): boolean {
  return requirement === 'required' || (requirement === 'user_prompt' && preset === undefined)
}

const TYPES: ReadonlySet<Json> = new Set(['number', 'boolean', 'object', 'array'])

function toProperty(parameter: JsonObject): JsonObject {
  const { input_type: type = 'string', description, options } = parameter
  return {
    type: TYPES.has(type) ? type : 'string',
    ...(type === 'date' ? { format: 'date' } : {}),
    ...(isText(description) ? { description } : {}),
    ...(Array.isArray(options) && options.length > 0 ? { enum: options } : {}),
    ...(parameter['default'] === undefined ? {} : { default: toDefault(parameter['default'], type) }),
  }
}

/** Converts a default to the type of its parameter; in goose all defaults are text. */
function toDefault(value: Json, type: Json): Json {
  if (type === 'number' && isText(value) && Number.isFinite(Number(value))) return Number(value)
  if (type === 'boolean' && isText(value)) return value.toLowerCase() === 'true'
  if (typeof value === 'object' || TYPES.has(type)) return value
  return String(value)
}
