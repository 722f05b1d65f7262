import {
  failure,
  type AgentDefinition,
  type ClientTool,
  type ClientTools,
  type Failure,
  type JsonObject,
  type ToolChoice,
} from '@troupe/schema'
import { isFailure } from '../headend/errors.ts'

/** A tool in a request of a client. */
export interface RequestedTool {
  readonly name: string
  /** Group of the tool. It is offered as `<namespace>__<name>`. */
  readonly namespace?: string | undefined
  readonly description?: string | null | undefined
  /** Default: an object without properties. */
  readonly schema?: JsonObject | null | undefined
}

/** The tools of a request, and what it requires of calls. */
export interface ToolRequest {
  readonly tools: readonly RequestedTool[]
  readonly choice?: 'none' | ToolChoice | undefined
  /** Names of the tools that may be called. Default: all. */
  readonly allowed?: readonly string[] | undefined
  readonly parallel?: boolean | null | undefined
}

const MAX_TOOLS = 128
/** Maximum lengths in characters. */
const MAX_DESCRIPTION = 32_768
const MAX_SCHEMA = 65_536
const NAME = /^[A-Za-z0-9_-]{1,64}$/u

/**
 * Checks the tools of a client, which are untrusted. Returns `undefined` if none is offered: the agent allows
 * none, or the client does. Returns a failure for tools beyond the limits, and for a `tool_choice` that cannot
 * be fulfilled.
 */
export function readClientTools(
  { tools: requested, choice = 'auto', allowed, parallel }: ToolRequest,
  agent: Pick<AgentDefinition, 'name' | 'type' | 'clientTools'>,
): ClientTools | Failure | undefined {
  const isAllowed = agent.type === 'agent' && agent.clientTools !== 'deny'
  const isForced = choice !== 'auto' && choice !== 'none'
  if (!isAllowed)
    return isForced ? invalid('tool_choice', `the agent ${agent.name} allows no tools of clients`) : undefined
  const tools = checkTools(requested)
  if (isFailure(tools)) return tools
  const offered = allowed === undefined ? tools : tools.filter(({ name }) => allowed.includes(name))
  if (allowed !== undefined && offered.length < new Set(allowed).size)
    return invalid('tool_choice', 'it allows a tool that is not in `tools`')
  if (choice === 'none') return undefined
  if (isForced && !offered.some(({ name }) => choice === 'required' || name === choice.tool))
    return invalid('tool_choice', 'it requires a tool that is not in `tools`')
  if (offered.length === 0) return undefined
  return {
    tools: offered,
    ...(choice === 'auto' ? {} : { choice }),
    ...(parallel === false ? { parallel: false } : {}),
  }
}

/** Returns the name under which a tool is offered. */
export function offeredName({ name, namespace }: RequestedTool): string {
  return namespace === undefined ? name : `${namespace}__${name}`
}

function checkTools(requested: readonly RequestedTool[]): readonly ClientTool[] | Failure {
  if (requested.length > MAX_TOOLS)
    return invalid('tools', `${requested.length} tools, and at most ${MAX_TOOLS} are accepted`)
  const tools = new Map<string, ClientTool>()
  for (const [index, tool] of requested.entries()) {
    const checked = checkTool(tool, `tools.${index}`)
    if (isFailure(checked)) return checked
    if (tools.has(checked.name)) return invalid(`tools.${index}`, `the name ${checked.name} occurs twice`)
    tools.set(checked.name, checked)
  }
  return [...tools.values()]
}

function checkTool(tool: RequestedTool, field: string): ClientTool | Failure {
  const name = offeredName(tool)
  if (!NAME.test(name) || name === '__proto__')
    return invalid(field, 'the name must have 1 to 64 letters, digits, `-` and `_`')
  const description = tool.description ?? ''
  if (description.length > MAX_DESCRIPTION)
    return invalid(field, `the description has more than ${MAX_DESCRIPTION} characters`)
  const schema: JsonObject = tool.schema ?? { properties: {} }
  if (schema['type'] !== undefined && schema['type'] !== 'object')
    return invalid(field, 'the schema of the arguments must have the type `object`')
  if (JSON.stringify(schema).length > MAX_SCHEMA)
    return invalid(field, `the schema has more than ${MAX_SCHEMA} characters`)
  return { name, description, inputSchema: { ...schema, type: 'object' } }
}

function invalid(field: string, problem: string): Failure {
  return failure('request_invalid', `${field}: ${problem}.`)
}
