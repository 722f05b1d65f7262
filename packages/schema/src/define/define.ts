import * as z from 'zod'
import { AGENT_KEYS, agentFieldsSchema, type AgentFields } from '../agents/agent-keys.ts'
import type { AgentDefinition, InputContract, OutputContract } from '../agents/agent.ts'
import type { ToolHook } from '../agents/hook.ts'
import type { SchemaInput } from '../agents/key-schemas.ts'
import {
  isStandardSchema,
  parseStandard,
  standardJsonSchema,
  type StandardSchema,
} from '../agents/standard-schema.ts'
import { toDefinition } from '../agents/to-definition.ts'
import type { ToolCapability, ToolContext, ToolDefinition, ToolEffect } from '../agents/tool.ts'
import { troupeError, type Outcome } from '../errors/errors.ts'
import type { RunOutput } from '../events/event.ts'
import type { RunReport } from '../runner/runner.ts'
import { closest } from '../text/closest.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { toWireName } from '../text/tool-name.ts'

/** Options of `defineAgent`. Relative paths in the definition are resolved against `folder`. */
export interface DefineOptions {
  readonly folder?: string
}

/**
 * Fields of `defineAgent`: those of a card. Schemas of zod or another Standard Schema library determine the
 * types of its runs.
 */
export type DefineAgentFields<
  Input extends SchemaInput | undefined,
  Output extends SchemaInput | undefined,
> = Omit<AgentFields, 'input' | 'output'> & {
  readonly name: string
  /** The prompt of the agent. */
  readonly instruction: string
  readonly input?: { readonly format?: InputContract['format']; readonly schema?: Input }
  readonly output?: Omit<Partial<OutputContract>, 'schema'> & { readonly schema?: Output }
}

/**
 * Defines an agent in code. The fields are those of a card; functions are accepted in place of string
 * references. Throws `card_bad_value` with every problem, or `card_no_instruction` if only the prompt is
 * missing.
 */
export function defineAgent<
  Input extends SchemaInput | undefined = undefined,
  Output extends SchemaInput | undefined = undefined,
>(
  fields: DefineAgentFields<Input, Output>,
  options: DefineOptions = {},
): TypedAgent<InputOf<Input>, ValueOf<Output>> {
  const parsed = agentFieldsSchema.safeParse(fields)
  if (!parsed.success) {
    throw troupeError(
      'card_bad_value',
      `The agent "${fields.name}" cannot be defined: ${z.prettifyError(parsed.error)}${hintOf(parsed.error)}`,
    )
  }
  requireIdentity(parsed.data)
  return toDefinition(
    { ...parsed.data, name: fields.name, instruction: parsed.data.instruction ?? '' },
    {
      kind: 'code',
      path: `defineAgent(${fields.name})`,
      ...(options.folder === undefined ? {} : { folder: options.folder }),
    },
  )
}

/** Returns a suggestion for the first misspelt field. */
function hintOf({ issues }: z.ZodError): string {
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  )
  for (const key of unknown) {
    const meant = closest(key, AGENT_KEYS)
    if (meant !== undefined)
      return `\nDid you mean \`${meant}\` in place of \`${key.slice(0, LONGEST_NAME)}\`?`
  }
  return ''
}

const LONGEST_NAME = 100

/** Checks what JavaScript callers may omit. A composition needs no prompt. */
function requireIdentity({
  name,
  instruction,
  type = 'agent',
}: Pick<AgentFields, 'name' | 'instruction' | 'type'>): void {
  if (name === undefined)
    throw troupeError('card_bad_value', 'defineAgent requires `name`.', {
      fix: "Pass a name: defineAgent({ name: 'reviewer', … }).",
    })
  if (instruction === undefined && type === 'agent')
    throw troupeError('card_no_instruction', `The agent "${name}" has no prompt.`, {
      fix: 'Write it as `instruction`.',
    })
}

/**
 * Fields of `defineTool`. `input` is a schema of zod or another Standard Schema library, or a JSON Schema of
 * type object. Default: no arguments.
 */
export interface ToolFields<Input extends StandardSchema | JsonObject | undefined> {
  readonly name: string
  readonly description: string
  readonly input?: Input
  readonly instructions?: string
  /** Default: `once`, so a resumed run never repeats the call by itself. */
  readonly effect?: ToolEffect
  /** True if calls require approval, or a function that decides by the arguments. Default: false. */
  readonly requiresApproval?: ToolDefinition['requiresApproval']
  /** Data that the tool reads and destinations that it can send to, for `troupe check`. */
  readonly capabilities?: readonly ToolCapability[]
  /** Time limit of a call in ms. */
  readonly timeout?: number
  /** Runs the tool. May return text, any JSON value or a ToolResult. May throw. */
  execute(
    args: Input extends StandardSchema<unknown, infer Args> ? Args : JsonObject,
    ctx: ToolContext,
  ): unknown
}

const NO_ARGUMENTS: JsonObject = Object.freeze({
  type: 'object',
  properties: Object.freeze({}),
  additionalProperties: false,
})

/** Defines a function tool in code. */
export function defineTool<Input extends StandardSchema | JsonObject | undefined = undefined>(
  fields: ToolFields<Input>,
): ToolDefinition {
  requireTool(fields)
  const { input } = fields
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
    execute: isStandardSchema(input)
      ? (args, ctx) => {
          const parsed = parseStandard(input, args)
          if (!(parsed instanceof Promise)) return fields.execute(parsed as never, ctx)
          return parsed.then((value) => fields.execute(value as never, ctx))
        }
      : (args, ctx) => fields.execute(args as never, ctx),
  }
}

/** Checks what JavaScript callers may omit. */
function requireTool({
  name,
  description,
  execute,
}: { readonly [K in keyof ToolFields<undefined>]?: unknown }): void {
  if (typeof name !== 'string' || name === '')
    throw troupeError('usage_invalid', 'defineTool requires `name`.')
  if (typeof description === 'string' && typeof execute === 'function') return
  const missing = typeof execute === 'function' ? '`description`' : 'function `execute`'
  throw troupeError('usage_invalid', `The tool "${name}" has no ${missing}.`, {
    fix: 'Define it as defineTool({ name, description, input, execute }).',
  })
}

function toInputSchema(tool: string, input: StandardSchema | JsonObject | undefined): JsonObject {
  if (input === undefined) return NO_ARGUMENTS
  const schema = isStandardSchema(input) ? standardJsonSchema(input) : input
  if (schema['type'] !== 'object') {
    throw troupeError(
      'tool_schema_invalid',
      `The input schema of the tool "${tool}" has type ${JSON.stringify(schema['type'] ?? null)}.`,
    )
  }
  return schema
}

/** Returns the hook unchanged. Only checks its type. */
export function defineHook(hook: ToolHook): ToolHook {
  return hook
}

declare const TYPES: unique symbol

/** An agent definition with the types of its input and output. The types do not exist at run time. */
export type TypedAgent<Input, Output> = AgentDefinition & {
  readonly [TYPES]?: { readonly input: Input; readonly output: Output }
}

/** Input type of an agent: the type of its schema, or else text or an object. */
export type InputOf<Schema extends SchemaInput | undefined> = [Schema] extends [StandardSchema<infer Input>]
  ? Input
  : string | JsonObject

/**
 * Type of the JSON value that an agent answers with: the input type of its schema, without transforms, or
 * else any JSON.
 */
export type ValueOf<Schema extends SchemaInput | undefined> = [Schema] extends [StandardSchema<infer Input>]
  ? Input
  : Json

/** Report of an agent with types. If its output has a schema, a completed run has a value. */
export type TypedRunReport<Value> = Json extends Value
  ? RunReport<Value>
  : RunReport<Value> &
      (
        | { readonly outcome: 'completed'; readonly output: RunOutput<Value> & { readonly value: Value } }
        | { readonly outcome: Exclude<Outcome, 'completed'> }
      )
