import {
  isJsonObject,
  isJsonTextTooDeep,
  MAX_JSON_DEPTH,
  toolResult,
  type CallSite,
  type JsonObject,
  type PreparedAgent,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import type { RequestedToolCall } from '../log/recorded-steps.ts'
import { nearestNames } from './nearest-names.ts'
import type { Run } from '../run/run.ts'

/** A call whose tool was looked up and whose arguments were checked. A call with a `refusal` is not run. */
export interface PreparedCall {
  readonly site: CallSite
  readonly wireName: string
  /** Validated arguments, with defaults filled in. */
  readonly args: JsonObject
  readonly tool: ToolDefinition | undefined
  readonly refusal?: ToolResult
}

/**
 * Looks up the tool of a call, parses and validates its arguments, and checks the call limit. Runs nothing.
 */
export function prepareCall(
  run: Run,
  prepared: PreparedAgent,
  call: RequestedToolCall,
  position: { readonly turn: number; readonly ordinal: number },
): PreparedCall {
  const site: CallSite = {
    ...position,
    callId: `${position.turn}.${position.ordinal}`,
    toolUseId: call.toolUseId,
  }
  const tool = prepared.tools.get(call.wireName)
  const refuse = (refusal: ToolResult, args: JsonObject = {}): PreparedCall => ({
    site,
    wireName: call.wireName,
    args,
    tool,
    refusal,
  })
  const { maxToolCallsPerTurn } = run.definition.limits
  if (position.ordinal > maxToolCallsPerTurn) {
    return refuse(
      toolResult.error(
        'calls_exceeded',
        `Not run: at most ${maxToolCallsPerTurn} tool calls are allowed in one turn.`,
      ),
    )
  }
  if (tool === undefined) return refuse(unknownTool(call.wireName, prepared))
  const parsed = parseArguments(call.input)
  if (parsed === undefined) {
    return refuse(
      toolResult.error(
        'tool_bad_arguments',
        `The arguments of ${tool.name} are not a JSON object: ${excerpt(call.input)}`,
      ),
    )
  }
  if (isJsonTextTooDeep(call.input, parsed)) return refuse(tooDeepArguments(tool))
  const valid = prepared.validate(acceptedSchemaOf(tool), parsed)
  if (!valid.ok) return refuse(badArguments(tool, valid.problems), parsed)
  return { site, wireName: call.wireName, args: valid.args, tool }
}

/** Returns the schema that arguments are validated against. */
export function acceptedSchemaOf({ inputSchema, acceptedSchema = inputSchema }: ToolDefinition): JsonObject {
  return acceptedSchema
}

/** Creates the result for arguments that do not match the schema. */
export function badArguments(tool: ToolDefinition, problems: readonly string[]): ToolResult {
  return toolResult.error(
    'tool_bad_arguments',
    `The arguments do not fit ${tool.name}: ${problems.join('; ')}`,
  )
}

/** Creates the result for arguments that are nested too deep. */
export function tooDeepArguments(tool: ToolDefinition): ToolResult {
  return toolResult.error(
    'tool_bad_arguments',
    `The arguments of ${tool.name} are nested more than ${MAX_JSON_DEPTH} deep.`,
  )
}

/** Creates the result for an unknown tool. It says "agent-tool" if the name looks like one. */
function unknownTool(wireName: string, prepared: PreparedAgent): ToolResult {
  const known = [...prepared.tools.keys()]
  const kind = wireName.startsWith('agent__') ? 'agent-tool' : 'tool'
  return toolResult.error(
    'tool_unknown',
    `Unknown ${kind}: ${excerpt(wireName)}`,
    shownNames(wireName, known),
  )
}

/** Lists the most similar names, then the known names up to a maximum. */
function shownNames(wireName: string, known: readonly string[]): string {
  if (known.length === 0) return 'There are no tools.'
  const nearest = nearestNames(wireName, known)
  const meant = nearest.length === 0 ? '' : `Did you mean ${nearest.join(' or ')}? `
  return `${meant}Known: ${known.slice(0, SHOWN).join(', ')}${known.length > SHOWN ? ', …' : ''}`
}

const SHOWN = 20
const EXCERPT = 200

function excerpt(text: string): string {
  return text.length <= EXCERPT ? text : `${text.slice(0, EXCERPT)}…`
}

function parseArguments(input: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(input.trim() === '' ? '{}' : input)
    return isJsonObject(value) ? value : undefined
  } catch {
    // the caller reports the text to the model
    return undefined
  }
}

/** Returns the instance `NAME[i]` of the child that the call starts. Empty for other calls. */
export function childInstance(call: PreparedCall): { readonly childInstance?: string } {
  const { instanceIndex } = call.site
  if (instanceIndex === undefined || call.tool === undefined) return {}
  return { childInstance: `${call.tool.agent ?? call.tool.name}[${instanceIndex}]` }
}
