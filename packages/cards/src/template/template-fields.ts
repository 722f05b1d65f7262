import type { AgentDefinition, Json, JsonObject, Limits } from '@troupe/schema'
import { AGENT_KEY_TABLE, LIMIT_KEYS, type AgentKey } from '@troupe/schema/agent-keys'
import { DURATIONS } from '../formats/troupe-aliases.ts'

/** Defaults of a configuration for values that a card does not set. */
export interface TemplateDefaults {
  readonly model?: string | readonly string[]
  readonly limits?: Partial<Limits>
}

/** Returns all keys in the order in which a card is written: those of some types and of the file come last. */
export function templateKeys(): readonly (readonly [string, AgentKey])[] {
  return [...AGENT_KEY_TABLE].toSorted((one, other) => rank(one) - rank(other))
}

function rank([name, { group = 'settings' }]: readonly [string, AgentKey]): number {
  return name === 'instruction' ? 3 : ['settings', 'composition', 'file'].indexOf(group)
}

/**
 * Returns the card keys of a definition, defaults included; `undefined` for keys without a value and for the
 * prompt, which follows the template.
 */
export function templateFields(
  definition: AgentDefinition,
  defaults: TemplateDefaults,
): Readonly<Record<string, Json | undefined>> {
  const { acquire, settings, composition } = definition
  return {
    ...(definition as unknown as JsonObject),
    ...settings,
    ...composition,
    model: modelField(definition, defaults),
    agents: definition.agents.map((child) => (typeof child === 'string' ? child : child.name)),
    tools: toolsField(definition),
    functionTools: definition.functionTools.filter(isWritten) as unknown as Json,
    toolHooks: definition.toolHooks.filter((hook) => typeof hook !== 'function'),
    loopHooks: Object.fromEntries(
      Object.entries(definition.loopHooks).filter(([, hook]) => typeof hook === 'string'),
    ) as JsonObject,
    guard: guardField(definition),
    limits: limitsField(definition, defaults),
    instruction: undefined,
    acquire: acquire.kind === 'fresh' ? 'fresh' : { pool: acquire.size },
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

function guardField({ guard }: AgentDefinition): JsonObject | undefined {
  if (guard === undefined) return undefined
  const places = Object.entries(guard).map(([place, guards]) => [
    place,
    guards.filter((each) => typeof each !== 'function'),
  ])
  return Object.fromEntries(places) as JsonObject
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

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
]

/** Formats a duration as an author would write it: `5m`, `90s`, or a number of ms if no unit fits. */
export function formatDuration(milliseconds: number): string | number {
  const unit = UNITS.find(([, size]) => milliseconds >= size && milliseconds % size === 0)
  return unit === undefined ? milliseconds : `${milliseconds / unit[1]}${unit[0]}`
}
