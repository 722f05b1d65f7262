import {
  ProtocolError,
  ProtocolErrorCode,
  type CompleteResult,
  type GetPromptResult,
  type Prompt,
  type Server,
} from '@modelcontextprotocol/server'
import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/** A tool that is also offered as a prompt, with which a person starts a call of the tool. */
export interface PromptTool {
  /** Name of the tool, and of its prompt. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** JSON Schema of the arguments that a person enters. */
  readonly schema: JsonObject
  /** Converts the entered arguments to those of the tool. */
  toArguments(entered: JsonObject): JsonObject
}

/** Maximum number of completions in one response. */
const MAX_COMPLETIONS = 100

/** Capabilities of a server with prompts. */
export const PROMPT_CAPABILITIES = { prompts: {}, completions: {} } as const

/**
 * Answers requests for prompts and for completions of their arguments. `readTools` returns the current tools. The
 * server must have the `PROMPT_CAPABILITIES`.
 */
export function servePrompts(server: Server, readTools: () => readonly PromptTool[]): void {
  const find = (name: string): PromptTool => {
    const tool = readTools().find((candidate) => candidate.name === name)
    if (tool !== undefined) return tool
    throw invalidParams(`Unknown prompt: ${name.slice(0, 200)}`)
  }
  server.setRequestHandler('prompts/list', () => ({ prompts: readTools().map(toPrompt) }))
  server.setRequestHandler('prompts/get', ({ params }) =>
    fillPrompt(find(params.name), params.arguments ?? {}),
  )
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
    if (ref.type !== 'ref/prompt') return completion([])
    const values = valuesOf(propertiesOf(find(ref.name))[argument.name])
    const typed = argument.value.toLowerCase()
    return completion(values.filter((value) => value.toLowerCase().startsWith(typed)))
  })
}

function toPrompt(tool: PromptTool): Prompt {
  const { name, title, description, schema } = tool
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  return {
    name,
    title,
    description,
    arguments: Object.entries(propertiesOf(tool)).map(([argument, property]) => ({
      name: argument,
      ...describedBy(property),
      required: required.has(argument),
    })),
  }
}

function describedBy(property: Json): { readonly description?: string } {
  const description = isJsonObject(property) ? property['description'] : undefined
  return typeof description === 'string' ? { description } : {}
}

/**
 * Returns the message that asks the host's model to call the tool. It does not contain the prompt of the card, which
 * only the agent reads.
 */
function fillPrompt(tool: PromptTool, given: Readonly<Record<string, string>>): GetPromptResult {
  const properties = propertiesOf(tool)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(properties, name))
  if (unknown !== undefined)
    throw invalidParams(`The prompt ${tool.name} has no argument ${unknown.slice(0, 200)}.`)
  const { required } = tool.schema
  const missing = (Array.isArray(required) ? required : []).filter(
    (name) => typeof name === 'string' && !Object.hasOwn(given, name),
  )
  if (missing.length > 0)
    throw invalidParams(`The prompt ${tool.name} requires the arguments ${missing.join(', ')}.`)
  const entered = Object.entries(given).map(([name, text]) => [name, toValue(text, properties[name])])
  const args = tool.toArguments(Object.fromEntries(entered) as JsonObject)
  const call = `Call the tool ${tool.name} with these arguments and use its result as the answer:`
  const text = `${call}\n${JSON.stringify(args, null, 2)}`
  return {
    description: tool.description,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  }
}

function propertiesOf({ schema }: Pick<PromptTool, 'schema'>): JsonObject {
  const properties = getOwn(schema, 'properties')
  return isJsonObject(properties) ? properties : {}
}

/** Converts an argument, which is always text, to a value of the property: JSON, unless it may be text. */
function toValue(text: string, property: Json | undefined): Json {
  const type = isJsonObject(property) ? property['type'] : undefined
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'))
  if (isText || type === undefined) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    // the call of the tool reports what is wrong with it
    return text
  }
}

/** Returns the values that a property may have, as text; empty if they are not listed. */
function valuesOf(property: Json | undefined): readonly string[] {
  if (!isJsonObject(property)) return []
  const { enum: values, type } = property
  if (Array.isArray(values))
    return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return type === 'boolean' ? ['true', 'false'] : []
}

function completion(values: readonly string[]): CompleteResult {
  return {
    completion: {
      values: values.slice(0, MAX_COMPLETIONS),
      total: values.length,
      hasMore: values.length > MAX_COMPLETIONS,
    },
  }
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
