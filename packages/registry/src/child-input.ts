import { getOwn, isJsonObject, type AgentDefinition, type JsonObject } from '@troupe/schema'

/** Input schema of an agent that declares none. */
export const PERMISSIVE_INPUT: JsonObject = Object.freeze({
  type: 'object',
  properties: Object.freeze({
    text: Object.freeze({ type: 'string', description: 'Plain text input' }),
    json: Object.freeze({ type: 'object', description: 'Arbitrary JSON payload' }),
  }),
  additionalProperties: true,
})

/** Accepts any object: the permissive schema is only a hint to models. */
const ANY_ARGUMENTS: JsonObject = Object.freeze({ type: 'object' })

/** Returns the schema that validates the arguments of an agent: its own, or one that accepts any object. */
export function acceptedInputSchema(child: Pick<AgentDefinition, 'input'>): JsonObject {
  return child.input.schema ?? ANY_ARGUMENTS
}

/** Returns the schema shown to models that call the agent as a tool: its own, or the permissive one. */
export function childInputSchema(child: Pick<AgentDefinition, 'input'>): JsonObject {
  return child.input.schema ?? PERMISSIVE_INPUT
}

/**
 * Converts validated arguments to the user message of the child. Without an input schema this is `text`, else
 * `json`, else all arguments as JSON. With one it is the JSON of all arguments, or the bare text if the only
 * property is a string.
 */
export function toChildInput(child: Pick<AgentDefinition, 'input'>, args: JsonObject): string {
  const { schema } = child.input
  return schema === undefined ? fromPermissive(args) : fromOwnSchema(schema, args)
}

/** An array in `json` is also serialized as JSON, because `String()` would flatten it. */
function fromPermissive(args: JsonObject): string {
  const text = getOwn(args, 'text')
  if (typeof text === 'string') return text
  const json = getOwn(args, 'json')
  if (json !== undefined)
    return typeof json === 'object' && json !== null ? JSON.stringify(json) : String(json)
  return jsonOf(args)
}

function fromOwnSchema(schema: JsonObject, args: JsonObject): string {
  const only = onlyTextProperty(schema)
  if (only === undefined || Object.keys(args).some((key) => key !== only)) return JSON.stringify(args)
  const text = getOwn(args, only)
  return typeof text === 'string' ? text : jsonOf(args)
}

/** Returns the name of the only property of the schema if that property is a string. */
function onlyTextProperty(schema: JsonObject): string | undefined {
  const properties = getOwn(schema, 'properties')
  if (!isJsonObject(properties)) return undefined
  const [entry, ...others] = Object.entries(properties)
  if (entry === undefined || others.length > 0) return undefined
  const [name, property] = entry
  return isJsonObject(property) && getOwn(property, 'type') === 'string' ? name : undefined
}

function jsonOf(args: JsonObject): string {
  return Object.keys(args).length === 0 ? '' : JSON.stringify(args)
}
