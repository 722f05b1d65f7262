import {
  isJsonObject,
  toolResult,
  type JsonObject,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import { isJsonTextTooDeep, MAX_JSON_DEPTH } from '@troupe/schema/json'
import type { CallSite, PreparedAgent } from '@troupe/schema/ports'
import type { RequestedToolCall } from '../log/recorded-steps.ts'
import type { Run } from '../run/run.ts'

/** A call whose tool was looked up and whose arguments were checked. A call with a `refusal` is not run. */
export interface PreparedCall {
  readonly site: CallSite
  readonly wireName: string
  /** Validated arguments, with defaults filled in. */
  readonly args: JsonObject
  readonly tool: ToolDefinition | undefined
  readonly refusal?: ToolResult
  /** Reason for which a guard requires an approval of the call. */
  readonly guardApproval?: string
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
  if (tool === undefined) {
    const withheld = prepared.withheldTools?.get(call.wireName)
    return refuse(withheld === undefined ? unknownTool(call.wireName, prepared) : cannotAsk(withheld))
  }
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
  return { site, wireName: call.wireName, args: valid.args, tool: tool.resolve?.(valid.args) ?? tool }
}

/** Returns the schema that arguments are validated against. */
export function acceptedSchemaOf({ inputSchema, acceptedSchema = inputSchema }: ToolDefinition): JsonObject {
  return acceptedSchema
}

/** Creates the result for arguments that do not match the schema. */
export function badArguments(tool: ToolDefinition, problems: readonly string[]): ToolResult {
  return toolResult.error(
    'tool_bad_arguments',
    `The arguments of ${tool.name} do not match its schema: ${problems.join('; ')}`,
  )
}

/** Creates the result for arguments that are nested too deep. */
export function tooDeepArguments(tool: ToolDefinition): ToolResult {
  return toolResult.error(
    'tool_bad_arguments',
    `The arguments of ${tool.name} are nested more than ${MAX_JSON_DEPTH} levels deep.`,
  )
}

/** Creates the result for a call that needs an approval in a run that cannot ask for it. */
export function cannotAsk(toolName: string): ToolResult {
  return toolResult.error('approval_denied', `${toolName} requires approval, and this run cannot ask for it.`)
}

/** Creates the result for an unknown tool. It says "agent-tool" if the name looks like one. */
function unknownTool(wireName: string, prepared: PreparedAgent): ToolResult {
  const known = [...prepared.tools.keys()]
  const kind = wireName.startsWith('agent__') ? 'agent-tool' : 'tool'
  return toolResult.error(
    'tool_unknown',
    `Unknown ${kind}: ${excerpt(wireName)}`,
    suggestNames(wireName, known),
  )
}

/** Lists the most similar names, then the known names up to a maximum. */
function suggestNames(wireName: string, known: readonly string[]): string {
  if (known.length === 0) return 'The agent has no tools.'
  const nearest = nearestNames(wireName, known)
  const suggestion = nearest.length === 0 ? '' : `Did you mean ${nearest.join(' or ')}? `
  return `${suggestion}Known tools: ${known.slice(0, MAX_LISTED_NAMES).join(', ')}${known.length > MAX_LISTED_NAMES ? ', …' : ''}`
}

const MAX_LISTED_NAMES = 20
const MAX_EXCERPT = 200

function excerpt(text: string): string {
  return text.length <= MAX_EXCERPT ? text : `${text.slice(0, MAX_EXCERPT)}…`
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

const MAX_SUGGESTIONS = 3
const MAX_NAME_LENGTH = 100
/** Minimum likeness of a suggested name, from 0 to 1. */
const MIN_LIKENESS = 0.3

/** Returns the most similar names, best first. Compares pairs of letters and ignores separators. */
export function nearestNames(name: string, candidates: Iterable<string>): readonly string[] {
  const pairs = pairsOf(name)
  return [...candidates]
    .map((candidate) => ({ candidate, likeness: likeness(pairs, pairsOf(candidate)) }))
    .filter((match) => match.likeness >= MIN_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => candidate)
}

function pairsOf(name: string): ReadonlySet<string> {
  const letters = name
    .slice(0, MAX_NAME_LENGTH)
    .toLowerCase()
    .replaceAll(/[-_.\s]/gu, '')
  const pairs = new Set<string>()
  for (let at = 0; at + 1 < letters.length; at += 1) pairs.add(letters.slice(at, at + 2))
  return pairs
}

/** Returns the Dice coefficient, from 0 to 1. */
function likeness(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
  if (first.size + second.size === 0) return 0
  let shared = 0
  for (const pair of first) if (second.has(pair)) shared += 1
  return (2 * shared) / (first.size + second.size)
}
