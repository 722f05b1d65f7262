import { providerConfigSchema, type ProviderConfig } from '@troupe/models'
import {
  LIMIT_KEYS,
  limitsSchema,
  mcpServerSchema,
  permissionRulesSchema,
  type AgentDefinition,
  type JsonObject,
  type Limits,
  type McpServerConfig,
} from '@troupe/schema'
import { z } from 'zod'
import type { Retention } from '../retention/expired-runs.ts'

/** The content of troupe.json (docs/interface.md §2). `${VAR}` stays as written until a session needs it (C40). */
export interface TroupeConfig {
  readonly $schema?: string
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
  readonly providers?: Readonly<Record<string, ProviderConfig>>
  /** Names that cards may give in place of a model id, each with an id or a list in order of fallback. */
  readonly models?: Readonly<Record<string, string | readonly string[]>>
  readonly defaults?: {
    readonly model?: string | readonly string[]
    readonly limits?: Partial<Limits>
    /** False: no line from the limits in the system prompt of agents with children (R19). */
    readonly plannerHint?: boolean
  }
  /** Files, folders and globs in which children are looked for. */
  readonly agents?: readonly string[]
  /** Folders, beside those of the cards, that cards may load code from; relative to the configuration. */
  readonly codeRoots?: readonly string[]
  /** Of the built-in tools: the folder that files and commands are confined to, relative to the configuration. */
  readonly runtime?: { readonly root?: string }
  /** What happens to tools of MCP servers that are not as troupe.lock has them: they are told of, or left out. Default: `warn`. */
  readonly toolLock?: 'warn' | 'frozen'
  /** Rules for the tools of all agents, beside those of their cards: deny beats ask beats allow (R16). */
  readonly permissions?: Partial<AgentDefinition['permissions']>
  readonly server?: JsonObject
  readonly slack?: JsonObject
  /** How long runs are kept. */
  readonly store?: { readonly retention?: Retention }
}

const text = z.string().min(1)
const settings = z.record(z.string(), z.json())

const model = z.union([text, z.array(text).min(1)])

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
  runtime: z.strictObject({ root: text.optional() }).optional(),
  toolLock: z.enum(['warn', 'frozen']).optional(),
  permissions: z
    .strictObject({
      deny: permissionRulesSchema.optional(),
      ask: permissionRulesSchema.optional(),
      allow: permissionRulesSchema.optional(),
    })
    .optional(),
  server: settings.optional(),
  slack: settings.optional(),
  store: z
    .strictObject({
      retention: z
        .strictObject({
          days: z.number().positive().optional(),
          runs: z.int().nonnegative().optional(),
          bytes: z.int().nonnegative().optional(),
        })
        .optional(),
    })
    .optional(),
})

/** Checks a configuration; unknown keys are refused, durations come out as ms. */
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
  'headers',
  'maxParallel',
  'models',
  'prices',
  'promptCache',
  'requestsPerMinute',
  'stream',
  'timeouts',
  'tokensPerMinute',
]

/** The keys that may stand at a place of a configuration, for "did you mean"; empty where any may. */
export function knownConfigKeys(path: readonly PropertyKey[]): readonly string[] {
  const [top, second] = path
  if (top === undefined) return Object.keys(config.shape)
  if (top === 'defaults') return second === 'limits' ? LIMIT_KEYS : ['limits', 'model', 'plannerHint']
  if (top === 'runtime') return ['root']
  if (top === 'permissions') return ['allow', 'ask', 'deny']
  if (path.length !== 2) return []
  if (top === 'mcpServers') return SERVER_KEYS
  return top === 'providers' ? PROVIDER_KEYS : []
}
