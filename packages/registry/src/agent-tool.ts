import {
  agentToolName,
  toWireName,
  type AgentDefinition,
  type ToolDefinition,
  getOwn,
  isJsonObject,
  type JsonObject,
  failure,
  hasAnswer,
  TroupeError,
  type ContentPart,
  type Failure,
  type Json,
  type OutputFile,
  type ToolResult,
} from '@troupe/schema'
import type { RunRequest, RunResult } from '@troupe/schema/ports'
import { publicFailure } from '@troupe/schema/public'

/** Characters of the instruction that replace a missing description. */
const DESCRIPTION_LIMIT = 300

/**
 * Creates the tool with which a parent calls a child agent. Each call opens a new run through
 * `ctx.run.child()`, which applies all guards. Hooks and events see `agent__<Name>`; the model sees that name
 * or `toolName`, converted to a legal tool name. `settings` and `parent` are the parent's settings for
 * the child and its own input, whose values fill in the templates of the settings.
 */
export function agentTool(
  child: AgentDefinition,
  settings: AgentDefinition['agentTools'][string] = {},
  parent?: AgentDefinition['input'],
): ToolDefinition {
  const { name, digest } = child
  const { input: fixed = {} } = settings
  const canonical = agentToolName(name)
  return {
    name: canonical,
    wireName: toWireName(settings.name ?? child.toolName ?? canonical),
    source: 'agent',
    server: 'agent',
    agent: name,
    description: settings.description ?? child.description ?? startOf(child.instruction),
    inputSchema: withoutProperties(childInputSchema(child), fixed),
    acceptedSchema: withoutProperties(acceptedInputSchema(child), fixed),
    effect: 'idempotent',
    // Not async: avoids keeping one more promise for every child run in progress.
    execute: (given, { run, site, attempt }) => {
      const { input } = child
      const isFilled = input.message !== undefined || input.template !== undefined
      if (!isFilled && parent?.template === undefined) {
        const message = toChildInput(child, { ...given, ...fixed })
        return run.child({ name, digest }, { site, attempt, input: message }).then(toToolResult)
      }
      const open = async (): Promise<ToolResult> => {
        const values = await fillValues(fixed, { parent, values: run.request.values ?? {} })
        const filled = await toFilledInput(child, { ...given, ...values })
        if ('class' in filled) throw new TroupeError(filled)
        return toToolResult(await run.child({ name, digest }, { site, attempt, ...filled }))
      }
      return open()
    },
  }
}

/** Fills in texts that are templates, if the prompt of the parent is one. Throws if a value is missing. */
async function fillValues(
  fixed: JsonObject,
  { parent, values }: { readonly parent: AgentDefinition['input'] | undefined; readonly values: JsonObject },
): Promise<JsonObject> {
  if (parent?.template === undefined || Object.keys(fixed).length === 0) return fixed
  const { fillInputTemplate } = await import('@troupe/tools/input-template')
  const entries = Object.entries(fixed).map(([name, value]): [string, Json] => {
    if (typeof value !== 'string') return [name, value]
    const filled = fillInputTemplate(value, { values, schema: parent.schema })
    if (typeof filled !== 'string') throw new TroupeError(filled)
    return [name, filled]
  })
  return Object.fromEntries(entries)
}

/** Removes the properties that the model does not set from the schema of a tool. */
function withoutProperties(schema: JsonObject, fixed: JsonObject): JsonObject {
  const isOpen = (name: Json): boolean => typeof name === 'string' && !Object.hasOwn(fixed, name)
  if (Object.keys(fixed).length === 0) return schema
  const { properties, required } = schema
  const open = Object.entries(isJsonObject(properties) ? properties : {}).filter(([name]) => isOpen(name))
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(open) }),
    ...(Array.isArray(required) ? { required: (required as readonly Json[]).filter(isOpen) } : {}),
  }
}

/** Returns the start of an instruction, cut at a space if there is one near the limit. */
function startOf(instruction: string): string {
  const text = instruction.trim()
  if (text.length <= DESCRIPTION_LIMIT) return text
  const head = text.slice(0, DESCRIPTION_LIMIT).toWellFormed()
  const space = head.lastIndexOf(' ')
  return `${space > DESCRIPTION_LIMIT / 2 ? head.slice(0, space) : head}…`
}

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
/** The first message of a run, and the values for its prompt if that is a template. */
export type FilledInput = Pick<RunRequest, 'input' | 'values'>

/**
 * Converts validated arguments to the first message of an agent: the `message` of its card, if it has one and
 * the arguments contain no text of their own. Resolves with a failure if a template lacks a value.
 */
export async function toFilledInput(
  child: Pick<AgentDefinition, 'input'>,
  args: JsonObject,
): Promise<FilledInput | Failure> {
  const { schema, message, template } = child.input
  const own = toChildInput(child, args)
  const values = template === undefined ? {} : { values: args }
  if (message === undefined || (schema === undefined && own !== '')) return { input: own, ...values }
  if (template === undefined) return { input: message }
  const { fillInputTemplate } = await import('@troupe/tools/input-template')
  const input = fillInputTemplate(message, { values: args, schema })
  return typeof input === 'string' ? { input, ...values } : input
}

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

/**
 * Converts the result of a child run to the result of the tool call that opened it. An answer is returned as
 * it is, and a partial answer is marked as partial. Anything else becomes a tool error whose text starts with
 * `Error: ` and whose `structured` is `{outcome, class, code, message, remediation, agent, runId, partial?}`.
 */
export function toToolResult(result: RunResult): ToolResult {
  const common = {
    outcome: result.outcome,
    childRunId: result.runId,
    ...(result.merge === undefined ? {} : { merge: result.merge }),
  }
  if (hasAnswer(result.outcome)) {
    return {
      ...common,
      content: answerContent(result),
      ...(result.value === undefined ? {} : { structured: result.value }),
    }
  }
  const reason = result.failure ?? noReason(result)
  // Only the public part of the failure, since models may repeat it.
  const shown = publicFailure(reason)
  return {
    ...common,
    content: failureContent(result, shown),
    structured: failureData(result, shown),
    failure: reason,
  }
}

function answerContent({ outcome, text, files = [], failure: reason }: RunResult): readonly ContentPart[] {
  const answer = [textPart(text), ...files.flatMap(filePart)]
  if (outcome !== 'partial') return answer
  const why = reason === undefined ? 'the agent had not finished.' : publicFailure(reason).message
  return [...answer, textPart(`Partial answer: ${why}`)]
}

/** Converts a file of an answer. A file without content becomes its address. */
function filePart({ mediaType, data, uri }: OutputFile): readonly ContentPart[] {
  const address = uri === undefined ? {} : { uri }
  if (data !== undefined) return [{ type: 'data', mediaType, base64: data, ...address }]
  return uri === undefined ? [] : [textPart(uri)]
}

function failureContent({ text }: RunResult, reason: Failure): readonly ContentPart[] {
  const parts = [
    textPart(`Error: ${reason.message}`),
    textPart(`Class: ${reason.class}. Code: ${reason.code}. What to do: ${reason.remediation}`),
  ]
  return text === '' ? parts : [...parts, textPart(`What it had written before it ended:\n${text}`)]
}

function failureData(result: RunResult, reason: Failure): Json {
  return {
    outcome: result.outcome,
    class: reason.class,
    code: reason.code,
    message: reason.message,
    remediation: reason.remediation,
    agent: result.agent,
    runId: result.runId,
    ...(result.text === '' ? {} : { partial: result.text }),
  }
}

function noReason({ agent, outcome }: RunResult): Failure {
  return failure(
    'child_failed',
    `The agent ${agent} ended with the outcome ${outcome} and without an error message.`,
  )
}

function textPart(text: string): ContentPart {
  return { type: 'text', text }
}
