import { findVariables } from '@troupe/env'
import { getOwn, type AgentDefinition, type GuardSpec, type McpServerConfig } from '@troupe/schema'

/** A key that a remote card must not have. */
export interface ForbiddenKey {
  readonly at: readonly (string | number)[]
  readonly why: string
}

type RemoteKeyCheck<Value> = (value: Value, definition: AgentDefinition) => readonly ForbiddenKey[]

/**
 * Allow-list for remote cards by key: `true` if every value is safe, else a check of the value. Keys that are
 * not listed are refused. The type requires an entry for every key of a definition.
 */
const ALLOWED: {
  readonly [Key in keyof Required<AgentDefinition>]: true | RemoteKeyCheck<AgentDefinition[Key]>
} = {
  name: true,
  digest: true,
  source: true,
  description: true,
  usage: true,
  version: true,
  type: true,
  mode: true,
  default: true,
  hidden: true,
  model: (ids) => refuse('model', ids, READS_FILE, isFileModel),
  settings: true,
  toolName: true,
  // Schemas are inline here; the card reader refuses paths of schemas.
  input: (value) => onlyKeys(['input'], value, ['format', 'schema']),
  output: (value) => onlyKeys(['output'], value, ['format', 'schema', 'files']),
  // References resolve against the address of the card.
  agents: true,
  composition: true,
  agentTools: true,
  servers: (names, { mcpServers }) =>
    refuse(
      'servers',
      names,
      'remote cards may not use servers of this configuration',
      (name) => !Object.hasOwn(mcpServers, name),
    ),
  mcpServers: (servers) => Object.entries(servers).flatMap(([name, server]) => checkServer(name, server)),
  tools: true,
  clientTools: true,
  providerTools: (tools = []) =>
    refuse('providerTools', tools, 'remote cards may not use tools of the provider', () => true),
  functionTools: (entries) => refuse('functionTools', entries, 'remote cards may not use functions'),
  toolHooks: (hooks) => hooks.flatMap((hook, index) => checkHook(hook, ['toolHooks', index])),
  loopHooks: (hooks) =>
    Object.keys(hooks).map((key) => ({
      at: ['loopHooks', key],
      why: 'remote cards may not use functions as hooks',
    })),
  // Guards only restrict. Their agents resolve against the address of the card.
  guard: (places = {}) =>
    Object.entries(places).flatMap(([place, guards]) =>
      guards.flatMap((guard, index) => checkGuard(guard, ['guard', place, index])),
    ),
  exports: (value) => onlyKeys(['exports'], value, ['tools', 'skills']),
  skills: (skills) =>
    refuse('skills', skills, 'remote cards may not read folders', (skill) => typeof skill === 'string'),
  limits: true,
  ownLimits: true,
  historyMode: true,
  toolPermission: true,
  requiresApproval: true,
  permissions: (value) => onlyKeys(['permissions'], value, ['deny', 'ask', 'allow']),
  runtimeTools: (tools) =>
    refuse(
      'runtimeTools',
      tools,
      'remote cards may not access this machine',
      (tool) => !RUNTIME_TOOLS.has(tool),
    ),
  memory: () => [{ at: ['memory'], why: 'remote cards may not access this machine' }],
  toolPrefix: true,
  instruction: true,
  store: true,
  context: (value) => [
    ...onlyKeys(['context'], value, ['strategy', 'threshold', 'keepTurns', 'model']),
    ...(value.model !== undefined && isFileModel(value.model)
      ? [{ at: ['context', 'model'], why: READS_FILE }]
      : []),
  ],
  schedule: () => [{ at: ['schedule'], why: 'remote cards may not start runs by themselves' }],
  acquire: true,
  display: true,
  env: (names) => refuse('env', names, 'remote cards may not read variables'),
}

const READS_FILE = 'remote cards may not read files'
const NOT_ALLOWED = 'remote cards may not have this key'
const RUNTIME_TOOLS: ReadonlySet<string> = new Set(['shared', 'human', 'todo'])

/** Allowed keys of MCP servers. Keys that start a process or a login are refused. */
const SERVER_KEYS: readonly string[] = [
  'type',
  'url',
  'headers',
  'resources',
  'shared',
  'disabled',
  'requiresApproval',
  'capabilities',
  'toolTimeout',
  'startTimeout',
  'maxParallel',
  'required',
] satisfies readonly (keyof McpServerConfig)[]

const FILTER = ['use', 'tools', 'except', 'sources'] as const

/** Allowed stock hooks and their options. `file` is missing, since it names a local file. */
const HOOK_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'troupe:approve': [...FILTER, 'effects', 'reason'],
  'troupe:audit': [...FILTER, 'args', 'result', 'start', 'kinds', 'patterns'],
  'troupe:cache': [...FILTER, 'ttl', 'scope', 'maxEntries', 'effects'],
  'troupe:clamp': [...FILTER, 'args', 'result'],
  'troupe:deny': [...FILTER, 'reason'],
  'troupe:rateLimit': [...FILTER, 'calls', 'per', 'scope', 'whenFull', 'maxWait'],
  'troupe:redact': [...FILTER, 'kinds', 'patterns', 'replacement', 'where'],
  'troupe:retry': [...FILTER, 'attempts', 'delay', 'maxDelay', 'jitter', 'codes', 'effects'],
}

/** Returns everything in a definition that is not allowed in a remote card. */
export function forbiddenKeys(definition: AgentDefinition): readonly ForbiddenKey[] {
  return Object.entries(definition).flatMap(([key, value]) => {
    if (value === undefined) return []
    const rule = getOwn(ALLOWED as Readonly<Record<string, true | RemoteKeyCheck<never>>>, key)
    if (rule === undefined) return [{ at: [key], why: NOT_ALLOWED }]
    return rule === true ? [] : rule(value as never, definition)
  })
}

function refuse<T>(
  key: string,
  entries: readonly T[],
  why: string,
  isForbidden: (entry: T) => boolean = () => true,
): readonly ForbiddenKey[] {
  return entries.flatMap((entry, index) => (isForbidden(entry) ? [{ at: [key, index], why }] : []))
}

function onlyKeys(
  at: readonly (string | number)[],
  value: object,
  allowed: readonly string[],
  why = NOT_ALLOWED,
): readonly ForbiddenKey[] {
  return Object.keys(value)
    .filter((key) => !allowed.includes(key))
    .map((key) => ({ at: [...at, key], why }))
}

/** Returns true for scripts and recordings, which are read from files. */
function isFileModel(id: string): boolean {
  return /^\s*(?:script|replay)\s*[/:]/iu.test(id)
}

function checkHook(hook: unknown, at: readonly (string | number)[]): readonly ForbiddenKey[] {
  const options = typeof hook === 'object' && hook !== null ? hook : { use: hook }
  const use = 'use' in options && typeof options.use === 'string' ? options.use : ''
  const allowed = getOwn(HOOK_OPTIONS, use)
  if (allowed === undefined) return [{ at, why: 'remote cards may not use functions as hooks' }]
  return onlyKeys(at, options, allowed, 'remote cards may not use this option')
}

function checkGuard(guard: GuardSpec, at: readonly (string | number)[]): readonly ForbiddenKey[] {
  if (typeof guard === 'object' && 'agent' in guard) return []
  const use = typeof guard === 'object' ? guard.use : guard
  if (typeof use === 'string' && use.startsWith('troupe:')) return []
  return [{ at, why: 'remote cards may not use functions as guards' }]
}

function checkServer(name: string, server: McpServerConfig): readonly ForbiddenKey[] {
  const at = ['mcpServers', name]
  if (server.command !== undefined)
    return [{ at: [...at, 'command'], why: 'remote cards may not start processes' }]
  const entries = Object.entries(server).filter(([, value]) => value !== undefined)
  return entries.flatMap(([key, value]) => {
    if (!SERVER_KEYS.includes(key)) return [{ at: [...at, key], why: NOT_ALLOWED }]
    return findVariables(value).map((variable) => ({
      at: [...at, key],
      why: `remote cards may not read variables such as ${variable.name}`,
    }))
  })
}
