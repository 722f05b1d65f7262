import * as z from 'zod'
import { parseDuration } from '../text/duration.ts'
import type { JsonObject } from '../text/json.ts'
import {
  SCHEDULE_CATCH_UPS,
  SCHEDULE_OVERLAPS,
  type AgentDefinition,
  type AgentSchedule,
  type AnyFunction,
  type FunctionToolUse,
  type HttpToolUse,
  type StockHookUse,
} from './agent.ts'
import {
  GUARD_ACTIONS,
  MAX_GUARDS,
  type GuardAgentUse,
  type GuardFunction,
  type GuardSpec,
  type GuardUse,
} from './guard.ts'
import type { ToolInputSchema } from './json-schema.ts'
import type { Limits } from './limits.ts'
import type { PermissionRule } from './permission.ts'
import { isStandardSchema, type StandardSchema } from './standard-schema.ts'
import { TOOL_CAPABILITIES, type ToolDefinition } from './tool.ts'

/**
 * A schema as an author writes it: JSON Schema, the path of a JSON file (cards only, replaced by its content
 * when read), or a schema of zod or another Standard Schema library (code only).
 */
export type SchemaInput = JsonObject | StandardSchema | string

const NUMBER = '(?:0|[1-9]\\d*)'
const LABEL = `(?:${NUMBER}|\\d*[A-Za-z-][\\dA-Za-z-]*)`
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${LABEL}(?:\\.${LABEL})*)?(?:\\+[\\dA-Za-z-]+(?:\\.[\\dA-Za-z-]+)*)?$`,
  'u',
)
const MAX_SEMVER_LENGTH = 100

/** Returns true for a version as defined by semver.org: `1.4.0`, `2.0.0-beta.1`. */
function isSemver(text: string): boolean {
  return text.length <= MAX_SEMVER_LENGTH && SEMVER.test(text)
}

export const agentName = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => text.trim() === text && !/[\p{Cc}/\\*?[\]{}]/u.test(text), {
    message: 'a name must not contain / \\ * ? [ ] { } or control characters, or start or end with a space',
  })
/** Schema of an input: a message, or the input object of an agent. */
export const inputSchema: z.ZodType<string | JsonObject> = z.union([
  z.string().max(100_000),
  z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>,
])
/** Schema of the priority of a run. */
export const prioritySchema: z.ZodType<number> = z.int().min(1).max(1000)
/** Schema of a schedule in a card. That of the configuration adds its agent. */
export const scheduleSchema: z.ZodObject<{
  readonly [Key in keyof Required<AgentSchedule>]: z.ZodType<AgentSchedule[Key]>
}> = z.strictObject({
  name: agentName.optional(),
  cron: z.string().min(1).max(200),
  timeZone: z.string().min(1).max(100).optional(),
  input: inputSchema.optional(),
  overlap: z.enum(SCHEDULE_OVERLAPS).optional(),
  catchUp: z.enum(SCHEDULE_CATCH_UPS).optional(),
  priority: prioritySchema.optional(),
})
export const text = z.string()
/** A relative path that leads to no folder above. */
export const innerPath = z
  .string()
  .min(1)
  .refine((path) => !/^(?:[/\\~]|[a-z]:)/iu.test(path) && !path.split(/[/\\]/u).includes('..'), {
    message: 'expected a relative path without "..", such as notes',
  })
export const semver = z.string().refine(isSemver, { message: 'expected a version such as 1.4.0 (semver)' })
export const texts = z.array(z.string())
export const count = z.int().min(0)
export const positive = z.int().min(1)
const duration = z
  .union([z.number(), z.string()])
  .refine((value) => parseDuration(value) !== undefined, {
    message: 'expected a number of ms or text such as "120s" or "5m"',
  })
  .transform((value) => parseDuration(value) ?? 0)
  .describe(
    'A duration: text with a unit, such as "30s", "5m" or "1h"; a number without a unit is milliseconds.',
  )
export const anyFunction = z.custom<AnyFunction>((value) => typeof value === 'function', {
  message: 'expected a function',
})
const jsonObject = z.record(z.string(), z.json()) as z.ZodType<JsonObject, JsonObject>
export const schemaInput = z.union([
  text,
  z.custom<StandardSchema>(isStandardSchema),
  jsonObject,
]) as z.ZodType<SchemaInput, SchemaInput>
export const childDefinition = z.custom<AgentDefinition>(
  (value) => typeof value === 'object' && value !== null && 'digest' in value && 'instruction' in value,
  { message: 'expected a name or a definition created with defineAgent' },
)
export const definedTool = z.custom<ToolDefinition>(
  (value) => typeof value === 'object' && value !== null && 'execute' in value && 'inputSchema' in value,
  { message: 'expected `module.ts:function` or a tool created with defineTool' },
)
export const hookUse = z.looseObject({ use: z.string().min(1) }) as unknown as z.ZodType<
  StockHookUse,
  StockHookUse
>

export const functionUse = z.strictObject({
  use: z.string().min(1),
  worker: z.boolean().optional(),
  env: texts.optional(),
}) as unknown as z.ZodType<FunctionToolUse, FunctionToolUse>

const lineKind = z.strictObject({ kind: z.string().min(1), key: z.string().min(1) })

export const httpToolUse = z.strictObject({
  use: z.literal('troupe:http'),
  name: z.string().min(1).max(128),
  description: z.string().min(1),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  url: z.string().min(1),
  query: z.record(z.string(), z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  parameters: jsonObject.optional(),
  body: z.json().optional(),
  lines: z
    .strictObject({
      prefix: text.optional(),
      kind: z.string().min(1),
      part: lineKind.optional(),
      end: lineKind.optional(),
    })
    .optional(),
}) as unknown as z.ZodType<HttpToolUse, HttpToolUse>

const limits = z.strictObject({
  maxTurns: positive.optional(),
  maxToolCallsPerTurn: positive.optional(),
  maxParallel: positive.optional(),
  parallelToolCalls: z.boolean().optional(),
  maxDepth: count.optional(),
  maxRuns: positive.optional(),
  hookTimeout: duration.optional(),
  llmTimeout: duration.optional(),
  toolTimeout: duration.optional(),
  childTimeout: duration.optional(),
  idleTimeout: duration.optional(),
  timeout: duration.optional(),
  maxRetries: count.optional(),
  approvalTimeout: duration.optional(),
  maxTokens: positive.optional(),
  maxCost: z.number().positive().optional(),
  maxToolResultBytes: positive.optional(),
})

/** Validates the limits of a card. Converts durations to ms. */
export const limitsSchema: z.ZodType<Partial<Limits>, LimitsInput> = limits as unknown as z.ZodType<
  Partial<Limits>,
  LimitsInput
>

/** Limits as an author writes them. A duration is a number of ms or text such as "120s". */
export type LimitsInput = {
  readonly [K in keyof Limits]?: Limits[K] | (Limits[K] extends number | undefined ? string : never)
}

const server = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: texts.optional(),
    env: z.record(z.string(), z.string()).optional(),
    cwd: text.optional(),
    url: text.optional(),
    headers: z.record(z.string(), z.string()).optional(),
    auth: z
      .strictObject({
        clientId: text.optional(),
        clientSecret: text.optional(),
        clientMetadataUrl: text.optional(),
        scope: text.optional(),
        redirectPort: positive.max(65_535).optional(),
      })
      .optional(),
    resources: z.boolean().optional(),
    sampling: z.enum(['allow', 'deny']).optional(),
    roots: z.array(text).max(100).optional(),
    shared: z.boolean().optional(),
    requiresApproval: z.union([z.boolean(), texts]).optional(),
    capabilities: z.array(z.enum(TOOL_CAPABILITIES)).optional(),
    toolTimeout: duration.optional(),
    startTimeout: duration.optional(),
    maxParallel: positive.optional(),
    required: z.boolean().optional(),
    type: z.enum(['stdio', 'http', 'sse', 'streamable-http']).optional(),
    disabled: z.boolean().optional(),
  })
  .refine((value) => (value.command === undefined) !== (value.url === undefined), {
    message: 'expected either `command` or `url`',
  })

/** Validates the definition of an MCP server. */
export const mcpServerSchema: z.ZodType<AgentDefinition['mcpServers'][string]> =
  server as unknown as z.ZodType<AgentDefinition['mcpServers'][string]>

export const agentTool = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  parameters: jsonObject.refine((schema) => schema['type'] === 'object', {
    message: 'expected a JSON Schema of type object',
  }) as unknown as z.ZodType<ToolInputSchema>,
  prompt: z.string().min(1),
  version: text.optional(),
  deprecated: z.union([z.boolean(), text]).optional(),
  needs: z
    .array(z.union([z.string().min(1), z.strictObject({ tool: z.string().min(1), version: text })]))
    .optional(),
  needsPerson: z.boolean().optional(),
  background: z.boolean().optional(),
  cache: z.strictObject({ ttl: duration, key: text.optional() }).optional(),
  limits: z
    .strictObject({
      timeout: duration.optional(),
      maxCost: z.number().positive().optional(),
      maxTokens: positive.optional(),
      maxParallel: positive.optional(),
      maxPerMinute: positive.optional(),
      maxPrompt: positive.optional(),
    })
    .optional(),
})
export const childTool = z.strictObject({
  name: z.string().min(1).max(128).optional(),
  description: text.optional(),
  input: jsonObject.optional(),
})
export const agentSkill = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  description: text,
  tags: texts.optional(),
  examples: texts.optional(),
})
export const inlineSkill = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  text: z.string().min(1),
})
export const hookSpec = z.union([text, anyFunction])

const guardAction = z.enum(GUARD_ACTIONS).optional()
const guardUse = z.looseObject({
  use: z.string().min(1),
  action: guardAction,
}) as unknown as z.ZodType<GuardUse, GuardUse>
const guardAgentUse = z.strictObject({
  agent: z.string().min(1),
  action: guardAction,
}) as unknown as z.ZodType<GuardAgentUse, GuardAgentUse>
/** Validates the guards of one place. */
export const guardList: z.ZodType<readonly GuardSpec[], readonly GuardSpec[]> = z
  .array(
    z.union([
      z.string().min(1),
      guardAgentUse,
      guardUse,
      anyFunction as unknown as z.ZodType<GuardFunction, GuardFunction>,
    ]),
  )
  .max(MAX_GUARDS)

const pattern = z.string().min(1).max(500)
const argumentRule = z.strictObject({
  tool: z.string().min(1),
  argument: z.string().min(1),
  pattern,
  except: z.array(pattern).max(100).optional(),
  source: text.optional(),
})
export const rules = z.array(z.union([text, argumentRule])).max(1000)

/** Validates a list of permission rules. */
export const permissionRulesSchema: z.ZodType<readonly PermissionRule[]> = rules as unknown as z.ZodType<
  readonly PermissionRule[]
>

/** All keys of `limits`. */
export const LIMIT_KEYS: readonly string[] = Object.keys(limits.shape)

/** Short names of Claude models in other tools, each with the newest model as of 2026-11-21. */
export const MODEL_ALIASES: ReadonlyMap<string, string> = new Map([
  ['sonnet', 'anthropic/claude-sonnet-4-6'],
  ['haiku', 'anthropic/claude-haiku-4-5'],
  ['opus', 'anthropic/claude-opus-4-7'],
  ['fable', 'anthropic/claude-fable-5-1'],
])
