import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { valueText } from '../ui/format.ts'
import type { YamlCursor, YamlPath } from './front-matter.ts'

/** A word that can be inserted. */
export interface CardOption {
  readonly label: string
  readonly kind: 'key' | 'value' | 'model' | 'agent' | 'tool'
  /** Inserted text, if it differs from the label. */
  readonly insert?: string
  /** Short note beside the label. */
  readonly note?: string
}

/** Names that cards of a team refer to. */
export interface TeamNames {
  readonly models: readonly string[]
  readonly agents: readonly string[]
  readonly tools: readonly string[]
}

/** Keys whose values are agents. */
const AGENT_KEYS: ReadonlySet<unknown> = new Set([
  'agents',
  'agent',
  'sequence',
  'fanOut',
  'fanIn',
  'generator',
  'evaluator',
  'worker',
])
/** Keys whose values are tools. */
const TOOL_KEYS: ReadonlySet<unknown> = new Set(['tools', 'tool', 'requiresApproval', 'deny', 'ask', 'allow'])
/** Maximum number of nested alternatives and references that are followed. */
const MAX_DEPTH = 8

/** Returns the keys, values and names that fit at a place in the front matter. */
export function cardOptions(
  { kind, path, siblings }: YamlCursor,
  { schema, names }: { readonly schema: JsonObject; readonly names: TeamNames },
): readonly CardOption[] {
  const schemas = schemasAt(schema, path)
  const keys = kind === 'value' ? [] : keyOptions(schemas, siblings)
  return kind === 'key' ? keys : [...keys, ...valueOptions(schemas), ...nameOptions(path, names)]
}

function keyOptions(schemas: readonly JsonObject[], siblings: readonly string[]): readonly CardOption[] {
  const known = new Map<string, JsonObject>()
  for (const { properties } of schemas)
    if (isJsonObject(properties))
      for (const [key, schema] of Object.entries(properties))
        known.set(key, isJsonObject(schema) ? schema : {})
  return [...known]
    .filter(([key]) => !siblings.includes(key))
    .map(([label, schema]) => ({
      label,
      kind: 'key',
      insert: `${label}: `,
      ...noteField(schema['description'] ?? schema['type']),
    }))
}

function noteField(note: Json | undefined): Pick<CardOption, 'note'> {
  return typeof note === 'string' ? { note: note.slice(0, 120) } : {}
}

function valueOptions(schemas: readonly JsonObject[]): readonly CardOption[] {
  const values = schemas.flatMap(({ enum: words, const: only, type }): readonly Json[] => {
    if (Array.isArray(words)) return words as readonly Json[]
    if (only !== undefined) return [only]
    return type === 'boolean' ? [true, false] : []
  })
  return [...new Set(values)].map((value) => ({ label: valueText(value), kind: 'value' }))
}

function nameOptions(path: YamlPath, { models, agents, tools }: TeamNames): readonly CardOption[] {
  const key = path.findLast((step) => typeof step === 'string')
  if (key === 'model') return models.map((label) => ({ label, kind: 'model' }))
  if (AGENT_KEYS.has(key)) return agents.map((label) => ({ label, kind: 'agent' }))
  return TOOL_KEYS.has(key) ? tools.map((label) => ({ label, kind: 'tool' })) : []
}

/** Returns the schemas of the values that a path may have. */
function schemasAt(root: JsonObject, path: YamlPath): readonly JsonObject[] {
  const enter = (schema: JsonObject, step: string | number): readonly JsonObject[] => {
    const { properties, additionalProperties, items } = schema
    if (typeof step === 'number') return isJsonObject(items) ? [items] : []
    const own = isJsonObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined
    const found = own ?? additionalProperties
    return isJsonObject(found) ? [found] : []
  }
  return path.reduce<readonly JsonObject[]>(
    (schemas, step) =>
      schemas.flatMap((schema) => enter(schema, step)).flatMap((found) => alternatives(root, found)),
    alternatives(root, root),
  )
}

/** Returns a schema with its alternatives and the schema it refers to. */
function alternatives(root: JsonObject, schema: JsonObject, depth = 0): readonly JsonObject[] {
  if (depth > MAX_DEPTH) return []
  const { anyOf, oneOf, $ref } = schema
  const options = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []))
  const name = typeof $ref === 'string' ? /^#\/\$defs\/(.+)$/u.exec($ref)?.[1] : undefined
  const defs = root['$defs']
  const target =
    name !== undefined && isJsonObject(defs) && Object.hasOwn(defs, name) ? defs[name] : undefined
  const below = [...options, ...(target === undefined ? [] : [target])].filter(isJsonObject)
  return [schema, ...below.flatMap((option) => alternatives(root, option, depth + 1))]
}
