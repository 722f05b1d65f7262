import { z } from 'zod'
import type { AgentDefinition, AgentSource, Composition, LoopHookSpecs, ToolFilter } from './agent.ts'
import type { ParsedAgentFields, SchemaInput } from './agent-fields.ts'
import { troupeError } from './errors.ts'
import { canonicalJson, sha256Hex } from './hash.ts'
import type { ToolHook } from './hook.ts'
import type { JsonObject } from './json.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'

/** The definition that parsed fields stand for: defaults filled in, frozen; the digest is computed when first read. `name` and `instruction` must be known by now. */
export function toDefinition(
  fields: ParsedAgentFields & { readonly name: string; readonly instruction: string },
  source: AgentSource,
): AgentDefinition {
  const filter = toToolFilter(fields.tools)
  const limits = fields.limits === undefined ? {} : withoutUndefined(fields.limits)
  const content = {
    name: fields.name,
    ...given('description', fields.description),
    ...given('usage', fields.usage),
    version: fields.version ?? '0.0.0',
    type: fields.type ?? 'agent',
    mode: fields.mode ?? 'interactive',
    default: fields.default ?? false,
    hidden: fields.hidden ?? false,
    model: typeof fields.model === 'string' ? [fields.model] : (fields.model ?? []),
    settings: {
      ...given('temperature', fields.temperature),
      ...given('topP', fields.topP),
      ...given('maxOutputTokens', fields.maxOutputTokens),
      ...given('reasoning', fields.reasoning),
      ...given('stopSequences', fields.stopSequences),
    },
    ...given('toolName', fields.toolName),
    input: {
      format: fields.input?.format ?? defaultFormat(fields.input?.schema),
      ...given('schema', toJsonSchema(fields.input?.schema)),
    },
    output: {
      format: fields.output?.format ?? defaultFormat(fields.output?.schema),
      ...given('schema', toJsonSchema(fields.output?.schema)),
    },
    agents: fields.agents ?? [],
    servers: fields.servers ?? [],
    mcpServers: (fields.mcpServers ?? {}) as AgentDefinition['mcpServers'],
    tools: filter.tools,
    functionTools: (fields.functionTools ?? []) as AgentDefinition['functionTools'],
    toolHooks: (fields.toolHooks ?? []) as readonly (string | ToolHook)[],
    loopHooks: (fields.loopHooks ?? {}) as LoopHookSpecs,
    exports: {
      tools: fields.exports?.tools ?? [],
      skills: (fields.exports?.skills ?? []) as AgentDefinition['exports']['skills'],
    },
    skills: fields.skills ?? [],
    limits: { ...DEFAULT_LIMITS, ...limits },
    ownLimits: Object.keys(limits) as (keyof Limits)[],
    historyMode: fields.historyMode ?? 'scratch',
    toolPermission: fields.toolPermission ?? 'tool',
    requiresApproval: fields.requiresApproval ?? [],
    permissions: {
      deny: [...(fields.permissions?.deny ?? []), ...filter.deny],
      ask: fields.permissions?.ask ?? [],
      allow: fields.permissions?.allow ?? [],
    },
    runtimeTools: fields.runtimeTools ?? [],
    toolPrefix: fields.toolPrefix ?? true,
    instruction: fields.instruction,
    store: fields.store ?? 'full',
    context: {
      strategy: fields.context?.strategy ?? 'trim',
      ...given('keepTurns', fields.context?.keepTurns),
      ...given('model', fields.context?.model),
    },
    composition: toComposition(fields),
    acquire:
      fields.acquire === undefined || fields.acquire === 'fresh'
        ? { kind: 'fresh' as const }
        : { kind: 'pool' as const, size: fields.acquire.pool },
    display: { maxInstances: fields.display?.maxInstances ?? 20 },
    env: fields.env ?? [],
  } satisfies Omit<AgentDefinition, 'digest' | 'source'>
  return withDigest(content, source)
}

type Content = Omit<AgentDefinition, 'digest' | 'source'>

/** Digests that were asked for. */
const DIGESTS = new WeakMap<Content, string>()

/** One getter for all definitions: with a closure for each, every definition would be a hidden class of its own. */
const DIGEST: PropertyDescriptor & ThisType<Content> = {
  enumerable: true,
  get() {
    const digest = DIGESTS.get(this) ?? digestOf(this)
    DIGESTS.set(this, digest)
    return digest
  },
}

/** Hashing costs as much as all the rest of loading a card, and most cards of a folder are never run. */
function withDigest(content: Content, source: AgentSource): AgentDefinition {
  for (const member of Object.values(content)) deepFreeze(member)
  const definition = Object.defineProperty(
    Object.assign(content, { source: deepFreeze(source) }),
    'digest',
    DIGEST,
  )
  return Object.freeze(definition as typeof definition & { readonly digest: string })
}

function digestOf(definition: Content): string {
  const content = Object.keys(definition)
    .filter((key) => key !== 'digest' && key !== 'source')
    .map((key) => [
      key,
      key === 'agents' ? definition.agents.map(toIdentity) : definition[key as keyof Content],
    ])
  return sha256Hex(canonicalJson(Object.fromEntries(content)))
}

function toIdentity(child: string | AgentDefinition): string {
  return typeof child === 'string' ? child : child.digest
}

/** `tools` by shape: text or a list is an allow-list, a map of lists filters servers, in a map of booleans true allows and false denies. */
function toToolFilter(tools: ParsedAgentFields['tools']): {
  readonly tools: ToolFilter
  readonly deny: readonly string[]
} {
  if (tools === undefined) return { tools: {}, deny: [] }
  if (typeof tools === 'string') return { tools: { allow: splitList(tools) }, deny: [] }
  if (isList(tools)) return { tools: { allow: tools }, deny: [] }
  const entries = Object.entries(tools)
  const lists = entries.filter((entry): entry is [string, readonly string[]] => isList(entry[1]))
  if (lists.length > 0 || entries.length === 0)
    return { tools: { servers: Object.fromEntries(lists) }, deny: [] }
  const allow = entries.filter(([, on]) => on === true).map(([key]) => key)
  const deny = entries.filter(([, on]) => on === false).map(([key]) => key)
  return { tools: allow.length > 0 ? { allow } : {}, deny }
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value)
}

function splitList(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function toComposition(fields: ParsedAgentFields): Composition {
  return {
    ...given('sequence', fields.sequence),
    ...given('fanOut', fields.fanOut),
    ...given('fanIn', fields.fanIn),
    ...given('planIterations', fields.planIterations),
    ...given('generator', fields.generator),
    ...given('evaluator', fields.evaluator),
    ...given('minRating', fields.minRating),
    ...given('maxRefinements', fields.maxRefinements),
  }
}

function defaultFormat(schema: SchemaInput | undefined): 'text' | 'json' {
  return schema === undefined ? 'text' : 'json'
}

function toJsonSchema(schema: SchemaInput | undefined): JsonObject | undefined {
  if (schema === undefined) return undefined
  if (typeof schema === 'string') {
    throw troupeError(
      'invalid_schema',
      `The schema is the path "${schema}", which was not read: give the schema itself.`,
    )
  }
  if (schema instanceof z.ZodType)
    return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as unknown as JsonObject
  return schema as JsonObject
}

/** A one-member object, or an empty one when the value is not given: optional members stay absent. */
function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}

/** Freezes plain objects and lists, whatever is in them; instances of classes stay as they are. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (!Array.isArray(value) && !isPlain(value)) return value
  Object.freeze(value)
  for (const key in value) deepFreeze(value[key])
  return value
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
