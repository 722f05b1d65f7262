import * as z from 'zod'
import {
  AGENT_MODES,
  AGENT_TYPES,
  HISTORY_MODES,
  REASONING_LEVELS,
  RUNTIME_TOOLS,
  type AgentDefinition,
  type AgentMode,
  type AgentSkill,
  type AgentTool,
  type AgentType,
  type AnyFunction,
  type FunctionToolUse,
  type HistoryMode,
  type InputContract,
  type McpServerConfig,
  type OutputContract,
  type Reasoning,
  type RuntimeTool,
  type LoopHookSpecs,
  type StockHookUse,
} from './agent.ts'
import { parseDuration } from './duration.ts'
import type { ToolHook } from './hook.ts'
import type { JsonObject } from './json.ts'
import type { ToolInputSchema } from './json-schema/json-schema.ts'
import type { Limits } from './limits.ts'
import type { PermissionRule, PermissionRules } from './permission.ts'
import { isStandardSchema, type StandardSchema } from './standard-schema.ts'
import type { ToolDefinition } from './tool.ts'
import { TOOL_CAPABILITIES } from './tool-capability.ts'

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

const name = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => text.trim() === text && !/[\p{Cc}/\\*?[\]{}]/u.test(text), {
    message: 'a name has no / \\ * ? [ ] { }, no control characters and no spaces at its ends',
  })
const text = z.string()
const semver = z.string().refine(isSemver, { message: 'expected a version such as 1.4.0 (semver)' })
const texts = z.array(z.string())
const count = z.int().min(0)
const positive = z.int().min(1)
const duration = z
  .union([z.number(), z.string()])
  .refine((value) => parseDuration(value) !== undefined, {
    message: 'expected a number of ms or text such as "120s" or "5m"',
  })
  .transform((value) => parseDuration(value) ?? 0)
  .describe(
    'A duration: text with a unit, such as "30s", "5m" or "1h"; a number without a unit is milliseconds.',
  )
const fn = z.custom<AnyFunction>((value) => typeof value === 'function', { message: 'expected a function' })
const jsonObject = z.record(z.string(), z.json()) as z.ZodType<JsonObject, JsonObject>
const schemaInput = z.union([text, z.custom<StandardSchema>(isStandardSchema), jsonObject]) as z.ZodType<
  SchemaInput,
  SchemaInput
>
const definition = z.custom<AgentDefinition>(
  (value) => typeof value === 'object' && value !== null && 'digest' in value && 'instruction' in value,
  { message: 'expected a name or a definition made by defineAgent' },
)
const tool = z.custom<ToolDefinition>(
  (value) => typeof value === 'object' && value !== null && 'execute' in value && 'inputSchema' in value,
  { message: 'expected `module.ts:function` or a tool made by defineTool' },
)
const hookUse = z.looseObject({ use: z.string().min(1) }) as unknown as z.ZodType<StockHookUse, StockHookUse>

const functionUse = z.strictObject({
  use: z.string().min(1),
  worker: z.boolean().optional(),
  env: texts.optional(),
}) as unknown as z.ZodType<FunctionToolUse, FunctionToolUse>

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

const agentTool = z.strictObject({
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
const agentSkill = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  description: text,
  tags: texts.optional(),
  examples: texts.optional(),
})
const hookSpec = z.union([text, fn])

const pattern = z.string().min(1).max(500)
const argumentRule = z.strictObject({
  tool: z.string().min(1),
  argument: z.string().min(1),
  pattern,
  except: z.array(pattern).max(100).optional(),
  source: text.optional(),
})
const rules = z.array(z.union([text, argumentRule])).max(1000)

/** Validates a list of permission rules. */
export const permissionRulesSchema: z.ZodType<readonly PermissionRule[]> = rules as unknown as z.ZodType<
  readonly PermissionRule[]
>

const fields = z.strictObject({
  $schema: text.optional(),
  dialect: text.optional(),
  name: name.optional(),
  description: text.optional(),
  usage: text.optional(),
  version: semver.optional(),
  type: z.enum(AGENT_TYPES).optional(),
  mode: z.enum(AGENT_MODES).optional(),
  default: z.boolean().optional(),
  hidden: z.boolean().optional(),
  model: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  temperature: z.number().min(0).optional(),
  topP: z.number().min(0).max(1).optional(),
  maxOutputTokens: positive.optional(),
  reasoning: z.union([z.enum(REASONING_LEVELS), count]).optional(),
  stopSequences: texts.optional(),
  toolName: z.string().min(1).max(128).optional(),
  input: z
    .strictObject({ format: z.enum(['text', 'json']).optional(), schema: schemaInput.optional() })
    .optional(),
  output: z
    .strictObject({ format: z.enum(['text', 'markdown', 'json']).optional(), schema: schemaInput.optional() })
    .optional(),
  agents: z.array(z.union([z.string().min(1), definition])).optional(),
  servers: texts.optional(),
  mcpServers: z.record(z.string().min(1), server).optional(),
  tools: z.union([text, texts, z.record(z.string(), texts), z.record(z.string(), z.boolean())]).optional(),
  functionTools: z.array(z.union([z.string().min(1), functionUse, tool, fn])).optional(),
  toolHooks: z.array(z.union([z.string().min(1), hookUse, fn])).optional(),
  loopHooks: z
    .strictObject({
      beforeModel: hookSpec.optional(),
      afterModel: hookSpec.optional(),
      beforeTurn: hookSpec.optional(),
      afterTurn: hookSpec.optional(),
      onEnd: hookSpec.optional(),
    })
    .optional(),
  exports: z
    .strictObject({ tools: z.array(agentTool).optional(), skills: z.array(agentSkill).optional() })
    .optional(),
  skills: texts.optional(),
  limits: limits.optional(),
  historyMode: z.enum(HISTORY_MODES).optional(),
  toolPermission: z.enum(['always', 'tool', 'never']).optional(),
  requiresApproval: texts.optional(),
  permissions: z
    .strictObject({ deny: rules.optional(), ask: rules.optional(), allow: rules.optional() })
    .optional(),
  runtimeTools: z.array(z.enum(RUNTIME_TOOLS)).optional(),
  toolPrefix: z.union([z.boolean(), text]).optional(),
  instruction: text.optional(),
  store: z.enum(['none', 'metadata', 'full']).optional(),
  context: z
    .strictObject({
      strategy: z.enum(['trim', 'summarise', 'fail']).optional(),
      threshold: z.number().min(0.1).max(1).optional(),
      keepTurns: positive.optional(),
      model: text.optional(),
    })
    .optional(),
  sequence: texts.optional(),
  cumulative: z.boolean().optional(),
  fanOut: texts.optional(),
  fanIn: text.optional(),
  includeRequest: z.boolean().optional(),
  planIterations: z
    .int()
    .refine((value) => value === -1 || value >= 1, {
      message: 'expected a number from 1, or -1 for no limit of its own',
    })
    .optional(),
  generator: text.optional(),
  evaluator: text.optional(),
  minRating: z.union([text, z.number()]).transform(String).optional(),
  maxRefinements: count.optional(),
  refinementInstruction: text.optional(),
  acquire: z.union([z.literal('fresh'), z.strictObject({ pool: positive })]).optional(),
  display: z.strictObject({ maxInstances: positive.optional() }).optional(),
  env: texts.optional(),
})

/** Validates all keys of a card. Rejects unknown keys and converts durations to ms. */
export const agentFieldsSchema: z.ZodType<ParsedAgentFields, AgentFields> = fields as unknown as z.ZodType<
  ParsedAgentFields,
  AgentFields
>

/** All card keys, in the order of the table in docs/interface.md. Pinned by a test. */
export const AGENT_KEYS: readonly string[] = Object.keys(fields.shape)

/** All keys of `limits`. */
export const LIMIT_KEYS: readonly string[] = Object.keys(limits.shape)

/**
 * Fields of a card or of `defineAgent`, see docs/interface.md §2. Functions are accepted in place of string
 * references in code only.
 */
export interface AgentFields {
  readonly $schema?: string
  readonly dialect?: string
  readonly name?: string
  readonly description?: string
  readonly usage?: string
  readonly version?: string
  readonly type?: AgentType
  readonly mode?: AgentMode
  readonly default?: boolean
  readonly hidden?: boolean
  readonly model?: string | readonly string[]
  readonly temperature?: number
  readonly topP?: number
  readonly maxOutputTokens?: number
  readonly reasoning?: Reasoning
  readonly stopSequences?: readonly string[]
  readonly toolName?: string
  readonly input?: { readonly format?: InputContract['format']; readonly schema?: SchemaInput }
  readonly output?: { readonly format?: OutputContract['format']; readonly schema?: SchemaInput }
  readonly agents?: readonly (string | AgentDefinition)[]
  readonly servers?: readonly string[]
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
  /**
   * A list or comma-separated text allows tools. A map of lists filters tools by server. In a map of
   * booleans, true allows and false denies a tool.
   */
  readonly tools?:
    | string
    | readonly string[]
    | Readonly<Record<string, readonly string[]>>
    | Readonly<Record<string, boolean>>
  /**
   * Function tools: `module.ts:function`, or in code the functions themselves and results of `defineTool`.
   */
  readonly functionTools?: readonly (string | FunctionToolUse | ToolDefinition | AnyFunction)[]
  readonly toolHooks?: readonly (string | StockHookUse | ToolHook)[]
  readonly loopHooks?: LoopHookSpecs
  readonly exports?: { readonly tools?: readonly AgentTool[]; readonly skills?: readonly AgentSkill[] }
  readonly skills?: readonly string[]
  readonly limits?: LimitsInput
  readonly historyMode?: HistoryMode
  readonly toolPermission?: AgentDefinition['toolPermission']
  readonly requiresApproval?: readonly string[]
  readonly permissions?: Partial<PermissionRules>
  readonly runtimeTools?: readonly RuntimeTool[]
  readonly toolPrefix?: boolean | string
  /** The prompt of the agent. In a Markdown card, the body. */
  readonly instruction?: string
  readonly store?: AgentDefinition['store']
  readonly context?: Partial<AgentDefinition['context']>
  readonly sequence?: readonly string[]
  readonly cumulative?: boolean
  readonly fanOut?: readonly string[]
  readonly fanIn?: string
  readonly includeRequest?: boolean
  readonly planIterations?: number
  readonly generator?: string
  readonly evaluator?: string
  readonly minRating?: string | number
  readonly maxRefinements?: number
  readonly refinementInstruction?: string
  readonly acquire?: 'fresh' | { readonly pool: number }
  readonly display?: { readonly maxInstances?: number }
  readonly env?: readonly string[]
}

/** Fields after validation: durations are in ms, a rating is text. */
export type ParsedAgentFields = Omit<AgentFields, 'limits' | 'minRating'> & {
  readonly limits?: Partial<Limits>
  readonly minRating?: string
}
