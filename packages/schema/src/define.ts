import * as z from 'zod'
import type { AgentDefinition } from './agent.ts'
import { agentFieldsSchema, type AgentFields } from './agent-fields.ts'
import { troupeError } from './errors.ts'
import type { ToolHook } from './hook.ts'
import { isZodSchema } from './is-zod-schema.ts'
import type { JsonObject } from './json.ts'
import { toDefinition } from './to-definition.ts'
import type { ToolCapability } from './tool-capability.ts'
import type { ToolContext, ToolDefinition, ToolEffect } from './tool.ts'
import { toWireName } from './tool-name.ts'

/** Where a definition written in code stands: relative paths in it resolve against `folder`. */
export interface DefineOptions {
  readonly folder?: string
}

/**
 * An agent from code: the fields of a card, where callables may stand for string specs (B1, B27).
 * Throws `card_bad_value` naming every problem.
 */
export function defineAgent(
  fields: AgentFields & { readonly name: string; readonly instruction: string },
  options: DefineOptions = {},
): AgentDefinition {
  const parsed = agentFieldsSchema.safeParse(fields)
  if (!parsed.success) {
    throw troupeError(
      'card_bad_value',
      `The agent "${fields.name}" cannot be defined: ${z.prettifyError(parsed.error)}`,
    )
  }
  return toDefinition(
    { ...parsed.data, name: fields.name, instruction: fields.instruction },
    {
      kind: 'code',
      path: `defineAgent(${fields.name})`,
      ...(options.folder === undefined ? {} : { folder: options.folder }),
    },
  )
}

/** What `defineTool` takes. `input` is a zod schema or JSON Schema of type object; none: no arguments. */
export interface ToolFields<Input extends z.ZodType | JsonObject | undefined> {
  readonly name: string
  readonly description: string
  readonly input?: Input
  readonly instructions?: string
  /** Default `once`: a resume never repeats the call by itself. */
  readonly effect?: ToolEffect
  readonly requiresApproval?: boolean
  /** For the check of a team: what it reads and where it can send. */
  readonly capabilities?: readonly ToolCapability[]
  /** In ms. */
  readonly timeout?: number
  /** May return text, any JSON value, or a ToolResult; may throw. */
  execute(args: Input extends z.ZodType ? z.output<Input> : JsonObject, ctx: ToolContext): unknown
}

const NO_ARGUMENTS: JsonObject = Object.freeze({
  type: 'object',
  properties: Object.freeze({}),
  additionalProperties: false,
})

/** A function tool from code. */
export function defineTool<Input extends z.ZodType | JsonObject | undefined = undefined>(
  fields: ToolFields<Input>,
): ToolDefinition {
  const { input } = fields
  const parse = isZodSchema(input) ? (args: JsonObject) => input.parse(args) : (args: JsonObject) => args
  return {
    name: fields.name,
    wireName: toWireName(fields.name),
    source: 'function',
    description: fields.description,
    inputSchema: toInputSchema(fields.name, input),
    ...(fields.instructions === undefined ? {} : { instructions: fields.instructions }),
    effect: fields.effect ?? 'once',
    ...(fields.requiresApproval === undefined ? {} : { requiresApproval: fields.requiresApproval }),
    ...(fields.capabilities === undefined ? {} : { capabilities: fields.capabilities }),
    ...(fields.timeout === undefined ? {} : { timeoutMs: fields.timeout }),
    execute: (args, ctx) => fields.execute(parse(args) as never, ctx),
  }
}

function toInputSchema(tool: string, input: z.ZodType | JsonObject | undefined): JsonObject {
  if (input === undefined) return NO_ARGUMENTS
  const schema = isZodSchema(input)
    ? (z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as unknown as JsonObject)
    : input
  if (schema['type'] !== 'object') {
    throw troupeError(
      'tool_schema_invalid',
      `The input schema of the tool "${tool}" has type ${JSON.stringify(schema['type'] ?? null)}.`,
    )
  }
  return schema
}

/** A hook from code, with its type checked. */
export function defineHook(hook: ToolHook): ToolHook {
  return hook
}
