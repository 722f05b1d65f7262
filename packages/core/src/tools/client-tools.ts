import {
  clientToolName,
  failure,
  toWireName,
  troupeError,
  TroupeError,
  type ClientTool,
  type ToolDefinition,
} from '@troupe/schema'
import { withHash } from '@troupe/schema/text'
import type { PreparedAgent } from '@troupe/schema/ports'
import type { Run } from '../run/run.ts'
import { READ_RESULT } from './read-result.ts'

/**
 * Adds the tools of the client and of the caller to those of a root run, if its card allows them. A tool whose name
 * the agent already uses gets a prefix. Throws `tool_too_many` if a model accepts fewer tools.
 */
export function addClientTools({ request, definition, root }: Run, prepared: PreparedAgent): PreparedAgent {
  const { clientTools, parentRunId } = request
  const { callerTools = [] } = root
  const mayOffer =
    parentRunId === undefined && definition.type === 'agent' && definition.clientTools !== 'deny'
  if ((clientTools === undefined && callerTools.length === 0) || !mayOffer) return prepared
  const tools = new Map(prepared.tools)
  for (const tool of clientTools?.tools ?? []) {
    const wireName = freeName(tool.name, tools)
    tools.set(wireName, toDefinition(tool, wireName))
  }
  for (const tool of callerTools) {
    const wireName = freeName(tool.name, tools)
    tools.set(wireName, toCallerTool(tool, wireName))
  }
  const limited = prepared.models.find(({ maxTools = Infinity }) => tools.size > maxTools)
  if (limited === undefined) return { ...prepared, tools }
  throw troupeError(
    'tool_too_many',
    `The agent ${definition.name} has ${tools.size} tools, with those of the client; ${limited.id} accepts at most ${limited.maxTools}.`,
    { fix: 'Send fewer tools.' },
  )
}

/** Returns true for a tool that the client of the run executes. */
export function isClientTool(tool: ToolDefinition | undefined): boolean {
  return tool?.source === 'client'
}

/** Throws `request_invalid` if the client requires a call of a tool that the agent may not use. */
export function requireChosenTool({ progress }: Run, { tools }: PreparedAgent): void {
  const { choice = 'auto' } = progress.clientTurn
  if (choice === 'auto') return
  const offered = [...tools.values()].filter(isClientTool)
  const isOffered =
    choice === 'required'
      ? offered.length > 0
      : offered.some(({ name }) => name === clientToolName(choice.tool))
  if (isOffered) return
  const what = choice === 'required' ? 'a tool of the client' : choice.tool
  throw new TroupeError(
    failure('request_invalid', `tool_choice: the agent may not call ${what}.`, 'Leave out `tool_choice`.'),
  )
}

/** The tool `read_result` is added while the run is in progress, so its name is never free. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const isTaken = (candidate: string): boolean => candidate === READ_RESULT || taken.has(candidate)
  const plain = toWireName(name)
  if (!isTaken(plain)) return plain
  const canonical = clientToolName(name)
  const prefixed = toWireName(canonical)
  return isTaken(prefixed) ? withHash(prefixed, canonical) : prefixed
}

/** Gives a tool of the caller a name that no rule for the agent's own tools applies to. */
function toCallerTool(tool: ToolDefinition, wireName: string): ToolDefinition {
  return { ...tool, name: clientToolName(tool.name), wireName, server: 'client' }
}

const ANY_OBJECT = Object.freeze({ type: 'object' })

function toDefinition({ name, description, inputSchema }: ClientTool, wireName: string): ToolDefinition {
  return {
    name: clientToolName(name),
    wireName,
    source: 'client',
    server: 'client',
    description,
    inputSchema,
    // the client validates its calls, so that no untrusted schema is compiled here
    acceptedSchema: ANY_OBJECT,
    effect: 'idempotent',
    execute: () => {
      throw troupeError('internal', `${name} is a tool of the client and is never executed here.`)
    },
  }
}
