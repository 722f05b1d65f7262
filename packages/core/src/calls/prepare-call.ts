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
import type { ModelCall } from '../model/answer-draft.ts'
import { nearestNames } from './nearest-names.ts'
import type { Run } from '../session/run.ts'

/** A call that was looked up and checked. With a `refusal` it is answered with that and never run. */
export interface CallToRun {
  readonly site: CallSite
  readonly wireName: string
  /** Validated, defaults filled in. */
  readonly args: JsonObject
  readonly tool: ToolDefinition | undefined
  readonly refusal?: ToolResult
}

/** First third of a call: find the tool, read and validate the arguments, check the limit. Nothing runs here. */
export function prepareCall(
  run: Run,
  prepared: PreparedAgent,
  call: ModelCall,
  place: { readonly turn: number; readonly ordinal: number },
): CallToRun {
  const site: CallSite = { ...place, callId: `${place.turn}.${place.ordinal}`, toolUseId: call.toolUseId }
  const tool = prepared.tools.get(call.wireName)
  const refuse = (refusal: ToolResult, args: JsonObject = {}): CallToRun => ({
    site,
    wireName: call.wireName,
    args,
    tool,
    refusal,
  })
  const { maxToolCallsPerTurn } = run.definition.limits
  if (place.ordinal > maxToolCallsPerTurn) {
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

/** What the arguments of a tool are checked against. */
export function acceptedSchemaOf({ inputSchema, acceptedSchema = inputSchema }: ToolDefinition): JsonObject {
  return acceptedSchema
}

/** The result of arguments that do not fit the schema. */
export function badArguments(tool: ToolDefinition, problems: readonly string[]): ToolResult {
  return toolResult.error(
    'tool_bad_arguments',
    `The arguments do not fit ${tool.name}: ${problems.join('; ')}`,
  )
}

/** The result of arguments that are nested too deep. */
export function tooDeepArguments(tool: ToolDefinition): ToolResult {
  return toolResult.error(
    'tool_bad_arguments',
    `The arguments of ${tool.name} are nested more than ${MAX_JSON_DEPTH} deep.`,
  )
}

/** A48: the wording names agent-tools where the agent has children. */
function unknownTool(wireName: string, prepared: PreparedAgent): ToolResult {
  const known = [...prepared.tools.keys()]
  const kind = wireName.startsWith('agent__') ? 'agent-tool' : 'tool'
  return toolResult.error(
    'tool_unknown',
    `Unknown ${kind}: ${excerpt(wireName)}`,
    shownNames(wireName, known),
  )
}

/** The nearest names first, then as many of all as can be read. */
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
    // the model is told what it sent
    return undefined
  }
}
