import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/** The tool and the parameters that a template refers to. */
export interface PromptSubject {
  readonly tool: { readonly name: string; readonly description: string }
  /** JSON Schema of the arguments, of type object. */
  readonly parameters: JsonObject
}

/** Source of a placeholder's value: the arguments, or a text of the tool. */
export type PlaceholderTarget =
  | { readonly from: 'arguments'; readonly path: readonly string[] }
  | { readonly from: 'tool'; readonly text: string }

/**
 * Resolves a placeholder; `undefined` if it is unknown. `{params.x}` is always a parameter, `{tool.name}`
 * always the tool. A bare `{x}` is the parameter if there is one, else the `{name}` or `{description}` of the
 * tool.
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

/** Returns the own value at a path of the arguments; `undefined` if there is none. */
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

/** Returns true if the schema contains the path or does not restrict it. */
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

/** Returns true if the schema does not describe the members of the value. */
function isOpen(schema: Json | undefined): boolean {
  if (!isJsonObject(schema)) return true
  const { type, properties, items, prefixItems, additionalProperties } = schema
  if (isJsonObject(additionalProperties) || additionalProperties === true) return true
  if (properties !== undefined || items !== undefined || prefixItems !== undefined) return false
  return type === undefined || type === 'object' || type === 'array' || Array.isArray(type)
}
