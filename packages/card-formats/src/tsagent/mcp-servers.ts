import { isJsonObject, mcpToolName, type Json, type JsonObject } from '@troupe/schema'
import {
  addToList,
  dottedPath,
  exactToolNames,
  type FieldContext,
  type FieldPath,
  type FieldRow,
} from '@troupe/cards/formats'
import { nestedRows } from '../rules/nested-keys.ts'
import { drop, ignored, isText, mappingOf, translated } from '../rules/field-rule.ts'
import { putServer } from '../rules/server-keys.ts'
import { isSecretStore, variableOf } from './variables.ts'

/** When a tool of a server is offered to the model. `agent`: if tsagent finds it similar to the message. */
type Include = 'always' | 'manual' | 'agent'

/** The settings of one tool, or the defaults of its server. */
interface ToolSettings {
  readonly needsPermission: boolean
  readonly include: Include
}

/** The settings of a server's tools. */
interface ServerTools {
  readonly defaults: ToolSettings
  /** Tools with settings of their own. */
  readonly named: ReadonlyMap<string, ToolSettings>
}

const SETTINGS_KEYS: ReadonlySet<string> = new Set([
  'serverToolDefaults',
  'tools',
  'toolPermissionRequired',
  'toolInclude',
])
const OF_SERVERS = translated('mcpServers')
const APPROVAL = translated('permissions, mcpServers.*.requiresApproval', 'true without the key')
const INCLUDE = translated('tools, permissions', '`manual`: denied; `agent`: always offered')

/** Rows of the documentation for the keys of a server. */
export const SERVER_ROWS: readonly FieldRow[] = nestedRows('mcpServers.*', {
  type: translated('mcpServers', 'a server with a `url` and no type is an SSE server'),
  command: OF_SERVERS,
  args: OF_SERVERS,
  env: OF_SERVERS,
  cwd: OF_SERVERS,
  url: OF_SERVERS,
  headers: OF_SERVERS,
  tool: translated('skills', 'of an internal server: `rules` and `references`; others cause a warning'),
  'serverToolDefaults.permissionRequired': APPROVAL,
  'serverToolDefaults.include': INCLUDE,
  'tools.*.permissionRequired': APPROVAL,
  'tools.*.include': INCLUDE,
  'tools.*.embeddings': drop('tools are not selected by similarity'),
  'tools.*.hash': drop('tools are not selected by similarity'),
  toolPermissionRequired: APPROVAL,
  toolInclude: INCLUDE,
})

/** Built-in servers whose texts the agent can read as skills. */
const READABLE: ReadonlySet<Json> = new Set(['rules', 'references'])

/** Adds the MCP servers of an agent, with the tools that it may use and those that need approval. */
export function putServers(value: Json, field: FieldContext): undefined {
  field.grant.limit()
  for (const [name, entry] of Object.entries(mappingOf(value))) {
    const at = [...field.from, name]
    const server = mappingOf(entry)
    if (server['type'] === 'internal') putInternal(server, { at, field })
    else putExternal(name, server, { at, field })
  }
  return undefined
}

interface ServerContext {
  readonly at: FieldPath
  readonly field: FieldContext
}

function putInternal(server: JsonObject, { at, field: { rewriter } }: ServerContext): void {
  const tool = server['tool'] ?? at.at(-1) ?? ''
  if (READABLE.has(tool)) {
    const reason = 'the agent can read them, but not create, change or delete them'
    rewriter.note({ key: dottedPath(at), ...translated('skills', reason) })
    return
  }
  const reason = 'it is built into tsagent'
  rewriter.note({ key: dottedPath(at), ...ignored(reason) })
  rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message: `The internal server \`${String(at.at(-1))}\` has no effect: ${reason}.`,
    at,
  })
}

function putExternal(name: string, server: JsonObject, { at, field }: ServerContext): void {
  const { rewriter, grant } = field
  const tools = readTools(server)
  const offer = offeredTools(field)
  const names = [...tools.named].filter(([, tool]) => offer(tool)).map(([tool]) => tool)
  const isOpen = offer(tools.defaults)
  if (!isOpen && names.length === 0) {
    const reason = isAutonomous(field)
      ? 'the agent is autonomous, so it gets no tool that needs permission'
      : 'its tools are offered only when a message names them, which Troupe cannot do'
    rewriter.note({ key: dottedPath(at), ...ignored(`no tool is left: ${reason}`) })
    rewriter.addProblem({
      severity: 'warning',
      code: 'key_without_effect',
      message: `The agent gets no tools from the server \`${name}\`: ${reason}.`,
      at,
    })
    return
  }
  const entries = Object.entries(server).filter(([key]) => !SETTINGS_KEYS.has(key))
  putServer(
    name,
    { ...toDefinition(Object.fromEntries(entries), { at, field }), ...approvalOf(tools) },
    { field, at },
  )
  grant.allowServer(name, at, isOpen ? ['*'] : exactToolNames(names))
  const list = (to: 'allow' | 'deny', matches: (tool: ToolSettings) => boolean): void => {
    const found = [...tools.named].filter(([, tool]) => matches(tool)).map(([tool]) => tool)
    const values = exactToolNames(found).map((tool) => mcpToolName(name, tool))
    addToList(rewriter, { to: ['permissions', to], values, from: at })
  }
  if (isOpen) list('deny', (tool) => !offer(tool))
  if (permissionMode(field) === 'tool' && tools.defaults.needsPermission)
    list('allow', (tool) => offer(tool) && !tool.needsPermission)
  noteTools(tools, { at, field })
}

function noteTools({ defaults, named }: ServerTools, { at, field }: ServerContext): void {
  const all = [defaults, ...named.values()]
  const reasons = [
    ...(all.some(({ include }) => include === 'agent')
      ? ['tools that tsagent chooses by similarity are always offered']
      : []),
    ...(all.some(({ include }) => include === 'manual')
      ? ['tools that only a message can include are denied']
      : []),
    ...(isAutonomous(field) ? ['an autonomous agent gets no tool that needs permission'] : []),
  ]
  if (reasons.length > 0)
    field.rewriter.note({
      key: dottedPath(at),
      ...translated(`mcpServers.${String(at.at(-1))}`, reasons.join('; ')),
    })
}

/** Returns the function that decides whether a tool is offered to the agent. */
function offeredTools(field: FieldContext): (tool: ToolSettings) => boolean {
  const mode = permissionMode(field)
  const isRestricted = isAutonomous(field)
  return ({ needsPermission, include }) => {
    if (include === 'manual') return false
    if (!isRestricted || mode === 'never') return true
    return mode === 'tool' && !needsPermission
  }
}

function isAutonomous({ card }: FieldContext): boolean {
  return mappingOf(card.fields['metadata'])['autonomous'] === true
}

function permissionMode({ card }: FieldContext): Json {
  return mappingOf(card.fields['settings'])['toolPermission'] ?? 'tool'
}

/** Reads the settings of a server's tools, in the current form and the older one. */
function readTools(server: JsonObject): ServerTools {
  const defaults = mappingOf(server['serverToolDefaults'])
  const permission = mappingOf(server['toolPermissionRequired'])
  const include = mappingOf(server['toolInclude'])
  const tools = mappingOf(server['tools'])
  const oldPermissions = mappingOf(permission['tools'])
  const oldIncludes = mappingOf(include['tools'])
  const common: ToolSettings = {
    needsPermission: isRequired(defaults['permissionRequired'] ?? permission['serverDefault'], true),
    include: includeOf(defaults['include'] ?? include['serverDefault'], 'always'),
  }
  const names = new Set([tools, oldPermissions, oldIncludes].flatMap((each) => Object.keys(each)))
  const named = [...names].map((name): [string, ToolSettings] => {
    const own = mappingOf(tools[name])
    return [
      name,
      {
        needsPermission: isRequired(
          own['permissionRequired'] ?? oldPermissions[name],
          common.needsPermission,
        ),
        include: includeOf(own['include'] ?? oldIncludes[name], common.include),
      },
    ]
  })
  return { defaults: common, named: new Map(named) }
}

/** Returns true for everything but an explicit no. */
function isRequired(value: Json | undefined, otherwise: boolean): boolean {
  if (value === undefined || value === null) return otherwise
  return value !== false && value !== 'not_required' && value !== 'never'
}

function includeOf(value: Json | undefined, otherwise: Include): Include {
  return value === 'always' || value === 'manual' || value === 'agent' ? value : otherwise
}

function approvalOf({ defaults, named }: ServerTools): JsonObject {
  if (defaults.needsPermission) return { requiresApproval: true }
  const names = exactToolNames([...named].filter(([, tool]) => tool.needsPermission).map(([name]) => name))
  return names.length === 0 ? {} : { requiresApproval: names }
}

/** Adds the type of a server with a URL, which is `sse` in tsagent, and resolves `env://` values. */
function toDefinition(server: JsonObject, { at, field }: ServerContext): JsonObject {
  const type = isText(server['url']) && server['type'] === undefined ? { type: 'sse' } : {}
  const resolve = (value: Json, path: FieldPath): Json => {
    isSecretStore(value, path, field)
    return variableOf(value)
  }
  const resolved = Object.entries(server).map(([key, value]): [string, Json] => {
    const path = [...at, key]
    if (!isJsonObject(value)) return [key, resolve(value, path)]
    const members = Object.entries(value).map(([name, member]) => [name, resolve(member, [...path, name])])
    return [key, Object.fromEntries(members) as JsonObject]
  })
  return { ...Object.fromEntries(resolved), ...type }
}
