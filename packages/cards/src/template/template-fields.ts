import { LIMIT_KEYS, type AgentDefinition, type Json, type JsonObject, type Limits } from '@troupe/schema'
import { DURATIONS } from '../formats/troupe-aliases.ts'
import { formatDuration } from '../fields/format-duration.ts'

/** Defaults of a configuration for values that a card does not set. */
export interface TemplateDefaults {
  readonly model?: string | readonly string[]
  readonly limits?: Partial<Limits>
}

/** Returns the card keys of a definition, defaults included; `undefined` for keys without a value. */
export function templateFields(
  definition: AgentDefinition,
  defaults: TemplateDefaults,
): Readonly<Record<string, Json | undefined>> {
  const { acquire, settings, composition } = definition
  return {
    name: definition.name,
    description: definition.description,
    usage: definition.usage,
    version: definition.version,
    type: definition.type,
    mode: definition.mode,
    default: definition.default,
    hidden: definition.hidden,
    model: modelField(definition, defaults),
    ...settings,
    toolName: definition.toolName,
    input: { ...definition.input },
    output: { ...definition.output },
    agents: definition.agents.map((child) => (typeof child === 'string' ? child : child.name)),
    servers: definition.servers,
    tools: toolsField(definition),
    functionTools: definition.functionTools.filter(isWritten) as unknown as Json,
    toolHooks: definition.toolHooks.filter((hook) => typeof hook !== 'function'),
    loopHooks: Object.fromEntries(
      Object.entries(definition.loopHooks).filter(([, hook]) => typeof hook === 'string'),
    ) as JsonObject,
    exports: definition.exports as unknown as JsonObject,
    skills: definition.skills,
    limits: limitsField(definition, defaults),
    historyMode: definition.historyMode,
    toolPermission: definition.toolPermission,
    requiresApproval: definition.requiresApproval,
    permissions: definition.permissions as unknown as JsonObject,
    runtimeTools: definition.runtimeTools,
    mcpServers: definition.mcpServers as unknown as JsonObject,
    toolPrefix: definition.toolPrefix,
    store: definition.store,
    context: { ...definition.context },
    ...composition,
    acquire: acquire.kind === 'fresh' ? 'fresh' : { pool: acquire.size },
    display: { ...definition.display },
    env: definition.env,
  }
}

/** Returns the limits without a value as lines with an example. */
export function openLimits(definition: AgentDefinition, defaults: TemplateDefaults): readonly string[] {
  const set = limitsField(definition, defaults)
  return LIMIT_KEYS.filter((key) => !Object.hasOwn(set, key)).map(
    (key) => `${key}: ${LIMIT_EXAMPLES.get(key) ?? '1'}`,
  )
}

const LIMIT_EXAMPLES: ReadonlyMap<string, string> = new Map([
  ['timeout', '10m'],
  ['maxTokens', '100000'],
  ['maxCost', '0.5'],
])

/**
 * Returns the limits. Those of the card override the configuration's defaults, which override the built-in
 * ones.
 */
function limitsField(definition: AgentDefinition, defaults: TemplateDefaults): JsonObject {
  const own = new Set<string>(definition.ownLimits)
  const merged: Readonly<Record<string, Json | undefined>> = { ...definition.limits }
  const configured: Readonly<Record<string, Json | undefined>> = { ...defaults.limits }
  const entries = LIMIT_KEYS.flatMap((key) => {
    const value = (own.has(key) ? undefined : configured[key]) ?? merged[key]
    if (value === undefined) return []
    return [[key, DURATIONS.includes(key) ? formatDuration(Number(value)) : value] as const]
  })
  return Object.fromEntries(entries)
}

function modelField(definition: AgentDefinition, defaults: TemplateDefaults): Json | undefined {
  const models = definition.model.length > 0 ? definition.model : [defaults.model ?? []].flat()
  return models.length > 1 ? models : models[0]
}

function toolsField({ tools }: AgentDefinition): Json | undefined {
  return tools.allow ?? tools.servers
}

/** Returns true if a card can contain the entry. Tools and functions are given in code. */
function isWritten(entry: AgentDefinition['functionTools'][number]): boolean {
  return typeof entry === 'string' || (typeof entry === 'object' && 'use' in entry && !('execute' in entry))
}
