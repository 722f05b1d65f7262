import { getOwn, isJsonObject, type AgentDefinition, type JsonObject } from '@troupe/schema'

/** What an agent takes that declares no input schema of its own (A38). */
export const PERMISSIVE_INPUT: JsonObject = Object.freeze({
  type: 'object',
  properties: Object.freeze({
    text: Object.freeze({ type: 'string', description: 'Plain text input' }),
    json: Object.freeze({ type: 'object', description: 'Arbitrary JSON payload' }),
  }),
  additionalProperties: true,
})

/** What is made of any arguments, text or not (A44, A45): the permissive schema only says what models should send. */
const ANY_ARGUMENTS: JsonObject = Object.freeze({ type: 'object' })

/** What the arguments of an agent are checked against: its own schema, else nothing but that they are an object. */
export function acceptedInputSchema(child: Pick<AgentDefinition, 'input'>): JsonObject {
  return child.input.schema ?? ANY_ARGUMENTS
}

/** The schema of the arguments of an agent as a tool: its own, else the permissive one (R3, C46). */
export function childInputSchema(child: Pick<AgentDefinition, 'input'>): JsonObject {
  return child.input.schema ?? PERMISSIVE_INPUT
}

/**
 * Validated arguments as the one user message of the child. Without a schema of its own: `text`, else `json`, else everything
 * as JSON (A42–A46). With one: the JSON of all arguments, or the bare text where its only property is text (R3).
 */
export function toChildInput(child: Pick<AgentDefinition, 'input'>, args: JsonObject): string {
  const { schema } = child.input
  return schema === undefined ? fromPermissive(args) : fromOwnSchema(schema, args)
}

/** A list given as `json` becomes JSON text too: `String()` would lose what lies in it. */
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

/** The name of the one property of the schema, where it is text. */
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
