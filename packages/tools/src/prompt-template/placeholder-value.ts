import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/** What a template of an exported tool is filled with: the tool, its parameters, and the arguments of a call. */
export interface PromptSubject {
  readonly tool: { readonly name: string; readonly description: string }
  /** JSON Schema of the arguments, an object. */
  readonly parameters: JsonObject
}

/** Where a placeholder looks: in the arguments, or in what the tool says of itself. */
export type PlaceholderTarget =
  | { readonly from: 'arguments'; readonly path: readonly string[] }
  | { readonly from: 'tool'; readonly text: string }

/**
 * What a placeholder names (R15); undefined: nothing. `{params.x}` is always a parameter and `{tool.name}` always the tool. A bare `{x}` is
 * the parameter where there is one, else what the tool says of itself: `{name}`, `{description}`.
 */
export function placeholderTarget(
  path: readonly string[],
  { tool, parameters }: PromptSubject,
): PlaceholderTarget | undefined {
  const [head = '', ...rest] = path
  const ofTool = (key: string | undefined): PlaceholderTarget | undefined =>
    key === 'name' || key === 'description' ? { from: 'tool', text: tool[key] } : undefined
  if (head === 'params' && rest.length > 0 && isNamed(rest, parameters))
    return { from: 'arguments', path: rest }
  if (head === 'tool' && rest.length === 1 && ofTool(rest[0]) !== undefined) return ofTool(rest[0])
  if (isNamed(path, parameters)) return { from: 'arguments', path }
  return rest.length === 0 ? ofTool(head) : undefined
}

/** The own value at a path of the arguments; undefined where there is none. */
export function valueAt(path: readonly string[], args: Json): Json | undefined {
  let value: Json | undefined = args
  for (const key of path) {
    if (Array.isArray(value))
      value = /^\d{1,9}$/u.test(key) ? (value as readonly Json[])[Number(key)] : undefined
    else value = isJsonObject(value) ? getOwn(value, key) : undefined
    if (value === undefined) return undefined
  }
  return value
}

/** True where the schema knows the path, or does not say what is there. */
function isNamed(path: readonly string[], parameters: JsonObject): boolean {
  let schema: Json | undefined = parameters
  for (const [depth, key] of path.entries()) {
    const next = memberSchema(schema, key)
    if (next === undefined) return depth > 0 && isOpen(schema)
    schema = next
  }
  return true
}

function memberSchema(schema: Json | undefined, key: string): Json | undefined {
  if (!isJsonObject(schema)) return undefined
  const { properties, items, prefixItems } = schema
  if (isJsonObject(properties)) return getOwn(properties, key)
  if (!/^\d{1,9}$/u.test(key)) return undefined
  const positions = Array.isArray(prefixItems) ? prefixItems : items
  return Array.isArray(positions) ? (positions as readonly Json[])[Number(key)] : items
}

/** A value below the root whose members nobody described. */
function isOpen(schema: Json | undefined): boolean {
  if (!isJsonObject(schema)) return true
  const { type, properties, items, prefixItems, additionalProperties } = schema
  if (isJsonObject(additionalProperties) || additionalProperties === true) return true
  if (properties !== undefined || items !== undefined || prefixItems !== undefined) return false
  return type === undefined || type === 'object' || type === 'array' || Array.isArray(type)
}
