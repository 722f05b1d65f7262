import { getOwn, isJsonObject, type AgentTool, type Json, type JsonObject } from '@troupe/schema'
import { valueText } from '../../ui/format.ts'
import {
  emptySchema,
  type DraftKind,
  type DraftParameter,
  type DraftSchema,
  type DraftTool,
} from './draft.ts'

/**
 * Converts a tool to a draft. Unsupported keywords are preserved, so that `fromDraft` returns the same tool.
 */
export function toDraft({ name, description, prompt, parameters }: AgentTool): DraftTool {
  const root = parameters as unknown as JsonObject
  return {
    name,
    description,
    prompt,
    parameters: toMembers(root, 'p'),
    unsupportedKeywords: unsupportedKeywordsOf(root, ['type', 'properties', 'required']),
  }
}

function toMembers({ properties, required }: JsonObject, id: string): readonly DraftParameter[] {
  if (!isJsonObject(properties)) return []
  const names = new Set(Array.isArray(required) ? (required as readonly Json[]) : [])
  return Object.entries(properties).map(([name, schema], index) => ({
    id: `${id}.${index}`,
    name,
    isRequired: names.has(name),
    schema: toSchema(schema, `${id}.${index}`),
  }))
}

/** The keywords that the builder supports, by kind. */
const SUPPORTED_KEYWORDS: Readonly<Record<Exclude<DraftKind, 'other'>, readonly string[]>> = {
  string: ['enum', 'default', 'examples', 'minLength', 'maxLength'],
  number: ['enum', 'default', 'examples', 'minimum', 'maximum'],
  integer: ['enum', 'default', 'examples', 'minimum', 'maximum'],
  boolean: ['default'],
  array: ['items', 'default', 'examples', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'default', 'examples'],
}

/** The keywords of the bounds, by kind. */
export const BOUNDS: Readonly<Partial<Record<DraftKind, readonly [minimum: string, maximum: string]>>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
}

function toSchema(schema: Json, id: string): DraftSchema {
  const kind = kindOf(schema)
  if (kind === 'other' || !isJsonObject(schema))
    return {
      ...emptySchema('other'),
      description: descriptionOf(schema),
      json: JSON.stringify(schema, undefined, 2),
    }
  const [minimumKey, maximumKey] = BOUNDS[kind] ?? []
  const initial = getOwn(schema, 'default')
  return {
    ...emptySchema(kind),
    description: descriptionOf(schema),
    values: textsOf(schema['enum']),
    initial: initial === undefined ? undefined : valueText(initial),
    examples: textsOf(schema['examples']),
    minimum: minimumKey === undefined ? '' : textOf(schema[minimumKey]),
    maximum: maximumKey === undefined ? '' : textOf(schema[maximumKey]),
    isUnique: schema['uniqueItems'] === true,
    items: kind === 'array' ? toSchema(schema['items'] ?? {}, `${id}.i`) : undefined,
    members: toMembers(schema, id),
    unsupportedKeywords: unsupportedKeywordsOf(schema, ['type', 'description', ...SUPPORTED_KEYWORDS[kind]]),
  }
}

/**
 * Returns the keywords that the builder does not support. An empty `properties` is one of them, as the
 * builder would not write it.
 */
function unsupportedKeywordsOf(schema: JsonObject, supported: readonly string[]): JsonObject {
  const isEmpty = isJsonObject(schema['properties']) && Object.keys(schema['properties']).length === 0
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => !supported.includes(key) || (key === 'properties' && isEmpty)),
  )
}

/** Returns the kind of a schema if the builder supports it without loss; otherwise `other`. */
function kindOf(schema: Json): DraftKind {
  if (!isJsonObject(schema)) return 'other'
  const { type } = schema
  const isDrawn = typeof type === 'string' && Object.hasOwn(SUPPORTED_KEYWORDS, type)
  return isDrawn && hasUsualForms(schema) ? (type as DraftKind) : 'other'
}

/** Returns true if all keywords have the form that the builder writes. Other schemas are edited as JSON. */
function hasUsualForms(schema: JsonObject): boolean {
  const { type, description, enum: values, examples, properties, required, items, uniqueItems } = schema
  const isOf = (value: Json): boolean =>
    type === 'string' ? typeof value === 'string' : typeof value === 'number'
  const names = isJsonObject(properties) ? Object.keys(properties) : []
  const numbers = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'].map(
    (key) => schema[key],
  )
  return (
    isAbsentOr(description, (text) => typeof text === 'string' && text !== '') &&
    isAbsentOr(values, (list) => type !== 'boolean' && isListOf(list, isOf)) &&
    isAbsentOr(examples, (list) => isListOf(list, (value) => typeof value === typeofKind(type))) &&
    isAbsentOr(schema['default'], (value) => typeof value === typeofKind(type)) &&
    numbers.every((bound) => isAbsentOr(bound, (value) => typeof value === 'number')) &&
    isAbsentOr(properties, isJsonObject) &&
    isAbsentOr(
      required,
      (list) =>
        isListOf(list, (name) => typeof name === 'string' && names.includes(name)) && isInOrder(list, names),
    ) &&
    (type !== 'array' || isJsonObject(items)) &&
    isAbsentOr(uniqueItems, (value) => value === true)
  )
}

function typeofKind(type: Json | undefined): string {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array' || type === 'object') return 'object'
  return typeof type === 'string' ? type : 'undefined'
}

function isInOrder(list: Json, names: readonly string[]): boolean {
  const positions = (list as readonly string[]).map((name) => names.indexOf(name))
  return positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? -1))
}

function isListOf(list: Json, fits: (value: Json) => boolean): boolean {
  return Array.isArray(list) && list.length > 0 && (list as readonly Json[]).every(fits)
}

function isAbsentOr(value: Json | undefined, fits: (value: Json) => boolean): boolean {
  return value === undefined || fits(value)
}

function descriptionOf(schema: Json): string {
  return isJsonObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : ''
}

function textOf(value: Json | undefined): string {
  return value === undefined ? '' : valueText(value)
}

function textsOf(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? (list as readonly Json[]).map(valueText) : []
}
