import { SEARCH_PROVIDER_NAMES, type FetchPermissions, type SearchConfig } from '@troupe/runtime'
import { providerConfigSchema, type ProviderConfig } from '@troupe/models'
import type { AgentDefinition, JsonObject, Limits, McpServerConfig } from '@troupe/schema'
import {
  agentName,
  inputSchema,
  LIMIT_KEYS,
  limitsSchema,
  mcpServerSchema,
  permissionRulesSchema,
  prioritySchema,
  scheduleSchema,
  type AgentSchedule,
} from '@troupe/schema/agent-keys'
import type { TraceSettings } from '@troupe/schema/ports'
import { z } from 'zod'

/** Limits for stored runs. Without any limit they are stored forever. */
export interface Retention {
  /** Days since the last write. */
  readonly days?: number
  /** Number of runs; the latest are retained. */
  readonly runs?: number
  /** Total size, for stores that know the size of runs. */
  readonly bytes?: number
}

/** A schedule in the configuration, with the agent that it starts. */
export interface ScheduleConfig extends AgentSchedule {
  readonly agent: string
}

/** A webhook: a signed request to `/hooks/<name>` that starts a run. */
export interface WebhookConfig {
  readonly name: string
  readonly agent: string
  /** Key of the signatures. */
  readonly secret: string
  /**
   * Input of the run: a template, or an object whose texts are templates. `{a.b}` is replaced by the value at
   * that path of the body.
   */
  readonly input: string | JsonObject
  /** Priority of the runs: an integer from 1 to 1000, lower first. Default: 100. */
  readonly priority?: number
}

/** The content of troupe.json. Values that each session expands for itself still contain `${VAR}`. */
export interface TroupeConfig {
  readonly $schema?: string
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
  readonly providers?: Readonly<Record<string, ProviderConfig>>
  /** Aliases for model ids. A list is in order of fallback. */
  readonly models?: Readonly<Record<string, string | readonly string[]>>
  readonly defaults?: {
    readonly model?: string | readonly string[]
    readonly limits?: Partial<Limits>
    /** False to omit the hint about limits from the system prompt of agents with children. Default: true. */
    readonly plannerHint?: boolean
  }
  /** Files, folders and globs to search for child agents. */
  readonly agents?: readonly string[]
  /** Folders that cards may load code from, besides their own. Relative to the configuration. */
  readonly codeRoots?: readonly string[]
  /**
   * Interpreter for Python functions: a program, or a path relative to the configuration. Default: that of
   * `.venv` beside the function or in the working folder, else `python3`.
   */
  readonly python?: string
  /** Settings of the built-in tools. */
  readonly runtime?: {
    /** Folder that they are confined to, relative to the configuration. */
    readonly root?: string
    /** Addresses that `web.fetch` may reach beyond public https addresses. */
    readonly fetch?: FetchPermissions
    /** Search provider of `web.search`. */
    readonly search?: SearchConfig
  }
  /**
   * How to treat tools of MCP servers that differ from troupe.lock: report them (`warn`) or leave them out
   * (`frozen`). Default: `warn`.
   */
  readonly toolLock?: 'warn' | 'frozen'
  /** Rules for the tools of all agents, added to those of the cards. Deny wins over ask, ask over allow. */
  readonly permissions?: Partial<AgentDefinition['permissions']>
  readonly schedules?: readonly ScheduleConfig[]
  readonly hooks?: readonly WebhookConfig[]
  readonly server?: JsonObject
  readonly slack?: JsonObject
  /** Store of the command and the server, and how long runs are kept in it. */
  readonly store?: {
    /** Address of a PostgreSQL database, or a file relative to the configuration. */
    readonly url?: string
    readonly retention?: Retention
  }
  /** Settings of traces. They have an effect only where tracing is switched on. */
  readonly telemetry?: TraceSettings
}

const text = z.string().min(1)
const settings = z.record(z.string(), z.json())

const model = z.union([text, z.array(text).min(1)])

const search = z
  .strictObject({
    provider: z.enum(SEARCH_PROVIDER_NAMES),
    apiKey: text.optional(),
    baseURL: z.url({ protocol: /^https?$/u }).optional(),
  })
  .superRefine(({ provider, apiKey, baseURL }, context) => {
    const needed = provider === 'searxng' ? 'baseURL' : 'apiKey'
    if ((provider === 'searxng' ? baseURL : apiKey) === undefined)
      context.addIssue({ code: 'custom', path: [needed], message: `is required for ${provider}` })
  })

const hookName = z.string().regex(/^[\w.-]{1,100}$/u, 'expected 1 to 100 letters, digits, `.`, `_` or `-`')

const config = z.strictObject({
  $schema: z.string().optional(),
  mcpServers: z.record(text, mcpServerSchema).optional(),
  providers: z.record(text, providerConfigSchema).optional(),
  models: z.record(text, model).optional(),
  defaults: z
    .strictObject({
      model: model.optional(),
      limits: limitsSchema.optional(),
      plannerHint: z.boolean().optional(),
    })
    .optional(),
  agents: z.array(text).optional(),
  codeRoots: z.array(text).optional(),
  python: text.optional(),
  runtime: z
    .strictObject({
      root: text.optional(),
      fetch: z
        .strictObject({ allowHttp: z.boolean().optional(), allowPrivate: z.boolean().optional() })
        .optional(),
      search: search.optional(),
    })
    .optional(),
  toolLock: z.enum(['warn', 'frozen']).optional(),
  permissions: z
    .strictObject({
      deny: permissionRulesSchema.optional(),
      ask: permissionRulesSchema.optional(),
      allow: permissionRulesSchema.optional(),
    })
    .optional(),
  schedules: z
    .array(scheduleSchema.extend({ agent: agentName }))
    .max(1000)
    .optional(),
  hooks: z
    .array(
      z.strictObject({
        name: hookName,
        agent: agentName,
        secret: text,
        input: inputSchema,
        priority: prioritySchema.optional(),
      }),
    )
    .max(1000)
    .optional(),
  server: settings.optional(),
  slack: settings.optional(),
  store: z
    .strictObject({
      url: text.optional(),
      retention: z
        .strictObject({
          days: z.number().positive().optional(),
          runs: z.int().nonnegative().optional(),
          bytes: z.int().nonnegative().optional(),
        })
        .optional(),
    })
    .optional(),
  telemetry: z.strictObject({ content: z.boolean().optional(), turns: z.boolean().optional() }).optional(),
})

/** Schema of a configuration. Rejects unknown keys and converts durations to ms. */
export const configSchema: z.ZodType<TroupeConfig> = config as unknown as z.ZodType<TroupeConfig>

const SERVER_KEYS = [
  'args',
  'auth',
  'capabilities',
  'command',
  'cwd',
  'disabled',
  'env',
  'headers',
  'maxParallel',
  'required',
  'requiresApproval',
  'resources',
  'roots',
  'sampling',
  'shared',
  'startTimeout',
  'toolTimeout',
  'type',
  'url',
]
const PROVIDER_KEYS = [
  'api',
  'apiKey',
  'baseURL',
  'body',
  'credentials',
  'factory',
  'headers',
  'maxParallel',
  'models',
  'options',
  'package',
  'prices',
  'promptCache',
  'requestsPerMinute',
  'stream',
  'timeouts',
  'tokensPerMinute',
]

const RUNTIME_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': ['fetch', 'root', 'search'],
  fetch: ['allowHttp', 'allowPrivate'],
  search: ['apiKey', 'baseURL', 'provider'],
}

/**
 * Returns the known keys at a path of the configuration, for "did you mean". Empty if any key is allowed
 * there.
 */
export function knownConfigKeys(path: readonly PropertyKey[]): readonly string[] {
  const [top, second] = path
  if (top === undefined) return Object.keys(config.shape)
  if (top === 'defaults') return second === 'limits' ? LIMIT_KEYS : ['limits', 'model', 'plannerHint']
  if (top === 'runtime') return RUNTIME_KEYS[String(second ?? '')] ?? []
  if (top === 'permissions') return ['allow', 'ask', 'deny']
  if (top === 'telemetry') return ['content', 'turns']
  if (path.length !== 2) return []
  if (top === 'schedules') return [...Object.keys(scheduleSchema.shape), 'agent']
  if (top === 'hooks') return ['agent', 'input', 'name', 'priority', 'secret']
  if (top === 'mcpServers') return SERVER_KEYS
  return top === 'providers' ? PROVIDER_KEYS : []
}

/** Returns the JSON Schema (draft 2020-12) of troupe.json, for editors. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' })
  return { ...(schema as unknown as JsonObject), title: 'Troupe configuration' }
}
