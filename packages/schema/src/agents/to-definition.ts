import { troupeError } from '../errors/errors.ts'
import { canonicalJson, sha256Hex } from '../text/hash.ts'
import type { JsonObject } from '../text/json.ts'
import { AGENT_KEY_TABLE, type ParsedAgentFields } from './agent-keys.ts'
import type { AgentDefinition, AgentSource, ToolFilter } from './agent.ts'
import { LIMIT_KEYS, type SchemaInput } from './key-schemas.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import type { PermissionRule, PermissionRules } from './permission.ts'
import { isStandardSchema, standardJsonSchema } from './standard-schema.ts'

/** Returns the default of a key. Defaults are frozen, so that definitions can share them. */
function defaultOf<Key extends keyof AgentDefinition>(key: Key): AgentDefinition[Key] {
  return AGENT_KEY_TABLE.get(key)?.default as AgentDefinition[Key]
}

const NONE: readonly never[] = Object.freeze([])
const NOTHING: Readonly<Record<string, never>> = Object.freeze({})
const NO_EXPORTS = defaultOf('exports')
const NO_RULES = defaultOf('permissions')
const TRIM = defaultOf('context')
const DISPLAY = defaultOf('display')
const FRESH: AgentDefinition['acquire'] = Object.freeze({ kind: 'fresh' })

const LIMITS = LIMIT_KEYS as readonly (keyof Limits)[]
const SETTINGS = keysOf('settings') as readonly (keyof AgentDefinition['settings'])[]
const COMPOSITION = keysOf('composition') as readonly (keyof AgentDefinition['composition'])[]

/** Members of a definition with their defaults, in the order of the keys. */
const MEMBERS: readonly (readonly [string, unknown])[] = [
  ...new Map(
    [...AGENT_KEY_TABLE]
      .filter(([, key]) => key.group !== 'file')
      .map(([name, key]) => [key.group ?? name, key.default]),
  ),
]

/** Returns the keys of a part of the definition. */
function keysOf(group: 'settings' | 'composition'): readonly string[] {
  return [...AGENT_KEY_TABLE].filter(([, key]) => key.group === group).map(([name]) => name)
}

/**
 * Creates a definition from validated fields. Fills in defaults and freezes it. The digest is computed on
 * first read. `name` and `instruction` must be present.
 */
export function toDefinition(
  fields: ParsedAgentFields & { readonly name: string; readonly instruction: string },
  source: AgentSource,
): AgentDefinition {
  const content = toContent(fields, convertedMembers(fields))
  const definition = Object.assign(content, { source: deepFreeze(source) })
  return Object.freeze(Object.defineProperty(definition, 'digest', DIGEST) as AgentDefinition)
}

/** Members of a definition that differ from the fields of a card. */
function convertedMembers(fields: ParsedAgentFields): Partial<Content> {
  const filter = toToolFilter(fields.tools)
  const limits = pick(fields.limits ?? NOTHING, LIMITS)
  return {
    model: typeof fields.model === 'string' ? [fields.model] : (fields.model ?? NONE),
    settings: pick(fields, SETTINGS),
    input: fields.input === undefined ? defaultOf('input') : toInputContract(fields.input),
    output: fields.output === undefined ? defaultOf('output') : toOutputContract(fields.output),
    tools: filter.tools,
    exports:
      fields.exports === undefined ? NO_EXPORTS : { ...NO_EXPORTS, ...withoutUndefined(fields.exports) },
    limits: limits === NOTHING ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...limits },
    ownLimits: limits === NOTHING ? NONE : (Object.keys(limits) as (keyof Limits)[]),
    permissions: toRules(fields.permissions, filter.deny),
    context: fields.context === undefined ? TRIM : { ...TRIM, ...withoutUndefined(fields.context) },
    composition: pick(fields, COMPOSITION),
    acquire:
      fields.acquire === undefined || fields.acquire === 'fresh'
        ? FRESH
        : { kind: 'pool', size: fields.acquire.pool },
    display: fields.display === undefined ? DISPLAY : { ...DISPLAY, ...withoutUndefined(fields.display) },
  }
}

/**
 * Returns the members of a definition in the order of the keys: the converted ones, and all others as the card
 * sets them or else with their default. Optional ones stay absent.
 */
function toContent(
  fields: Readonly<Record<string, unknown>>,
  converted: Readonly<Record<string, unknown>>,
): Content {
  const members: Record<string, unknown> = {}
  for (const [name, preset] of MEMBERS) {
    const value = converted[name] ?? fields[name] ?? preset
    if (value !== undefined) members[name] = deepFreeze(value)
  }
  members['ownLimits'] = deepFreeze(converted['ownLimits'])
  return members as unknown as Content
}

function toContract<Format extends string>(contract: {
  readonly format?: Format
  readonly schema?: SchemaInput
}): { readonly format: Format | 'text' | 'json'; readonly schema?: JsonObject } {
  return {
    format: contract.format ?? defaultFormat(contract.schema),
    ...optionalMember('schema', toJsonSchema(contract.schema)),
  }
}

function toInputContract(contract: NonNullable<ParsedAgentFields['input']>): AgentDefinition['input'] {
  return {
    ...toContract(contract),
    ...optionalMember('message', contract.message),
    ...optionalMember('template', contract.template),
  }
}

function toOutputContract(contract: NonNullable<ParsedAgentFields['output']>): AgentDefinition['output'] {
  return { ...toContract(contract), ...optionalMember('files', contract.files) }
}

function toRules(rules: Partial<PermissionRules> | undefined, denied: readonly string[]): PermissionRules {
  if (rules === undefined && denied.length === 0) return NO_RULES
  return {
    deny: [...(rules?.deny ?? NONE), ...denied],
    ask: rules?.ask ?? NONE,
    allow: rules?.allow ?? NONE,
  }
}

type Content = Omit<AgentDefinition, 'digest' | 'source'>

/** Digests computed so far. */
const DIGESTS = new WeakMap<Content, string>()

/**
 * The digest is computed on first access, because hashing costs as much as the rest of loading a card, and
 * most cards of a folder are never run. All definitions share one getter: a closure per definition would give
 * each its own hidden class in V8.
 */
const DIGEST: PropertyDescriptor & ThisType<Content> = {
  enumerable: true,
  get() {
    const known = DIGESTS.get(this)
    if (known !== undefined) return known
    const digest = digestOf(this)
    DIGESTS.set(this, digest)
    return digest
  },
}

function digestOf(definition: Content): string {
  const content = Object.keys(definition)
    .filter((key) => key !== 'digest' && key !== 'source')
    .map((key) => [key, identityOf(definition, key as keyof Content)])
  return sha256Hex(canonicalJson(Object.fromEntries(content)))
}

function identityOf(definition: Content, key: keyof Content): unknown {
  if (key === 'agents') return definition.agents.map(toIdentity)
  if (key !== 'permissions') return definition[key]
  return Object.fromEntries(
    Object.entries(definition.permissions).map(([list, rules]) => [list, rules.map(withoutSource)]),
  )
}

/** Returns the rule without its location, which does not affect decisions. */
function withoutSource(rule: PermissionRule): PermissionRule {
  if (typeof rule === 'string') return rule
  const { source: _source, ...rest } = rule
  return rest
}

function toIdentity(child: string | AgentDefinition): string {
  return typeof child === 'string' ? child : child.digest
}

/**
 * Splits `tools` by shape into a filter and denied tools. Text or a list allows tools, a map of lists filters
 * by server, and a map of booleans allows (true) or denies (false) tools.
 */
function toToolFilter(tools: ParsedAgentFields['tools']): {
  readonly tools: ToolFilter
  readonly deny: readonly string[]
} {
  if (tools === undefined) return { tools: NOTHING, deny: NONE }
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

function defaultFormat(schema: SchemaInput | undefined): 'text' | 'json' {
  return schema === undefined ? 'text' : 'json'
}

function toJsonSchema(schema: SchemaInput | undefined): JsonObject | undefined {
  if (schema === undefined) return undefined
  if (typeof schema === 'string') {
    throw troupeError(
      'invalid_schema',
      `The schema is the path "${schema}", which is not read here. Pass the schema itself.`,
    )
  }
  return isStandardSchema(schema) ? standardJsonSchema(schema) : schema
}

/** Returns the defined members with these names, in the order of the names. */
function pick<T extends object, K extends keyof T>(
  fields: T,
  names: readonly K[],
): { readonly [P in K]?: NonNullable<T[P]> } {
  const present = names.filter((name) => fields[name] !== undefined)
  if (present.length === 0) return NOTHING
  return Object.fromEntries(present.map((name) => [name, fields[name]])) as { [P in K]?: NonNullable<T[P]> }
}

/**
 * Returns an object with one member, or an empty one if the value is `undefined`, so that optional members
 * stay absent.
 */
function optionalMember<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}

/** Freezes plain objects and lists with everything in them. Class instances stay unfrozen. */
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
