import { posix } from 'node:path'
import {
  type RawCard,
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type ProjectSettings,
} from '@troupe/cards/formats'
import {
  MISSING_TOOLS,
  RUNTIME_TOOLS,
  lookupTool,
  type ToolMapping,
  type ProductTools,
} from '../rules/tool-mapping.ts'
import { isJsonObject, mcpToolName, type Json, type JsonObject } from '@troupe/schema'
import { mappingOf } from '../rules/field-rule.ts'
import { putProjectServers, type ProjectServer } from '../rules/project-servers.ts'
import { putServer } from '../rules/server-keys.ts'

const OPENCODE_TOOLS: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ['read', RUNTIME_TOOLS.read],
  ['write', RUNTIME_TOOLS.write],
  ['edit', RUNTIME_TOOLS.write],
  ['patch', RUNTIME_TOOLS.write],
  ['apply_patch', RUNTIME_TOOLS.write],
  ['multiedit', RUNTIME_TOOLS.write],
  ['list', RUNTIME_TOOLS.list],
  ['glob', RUNTIME_TOOLS.list],
  ['grep', RUNTIME_TOOLS.search],
  ['bash', RUNTIME_TOOLS.shell],
  ['skill', RUNTIME_TOOLS.skill],
  ['question', RUNTIME_TOOLS.human],
  ['task', MISSING_TOOLS.children],
  ['webfetch', RUNTIME_TOOLS.webFetch],
  ['websearch', RUNTIME_TOOLS.webSearch],
  ['codesearch', MISSING_TOOLS.web],
  ['todoread', RUNTIME_TOOLS.todoRead],
  ['todowrite', RUNTIME_TOOLS.todoWrite],
  ['lsp', MISSING_TOOLS.editor],
  ['doom_loop', { reason: 'loops end at `limits.maxTurns`' }],
  ['external_directory', { reason: 'file tools are limited to the working folder of the run' }],
  ['*', { everything: true }],
])

/** MCP tools are named `server_tool`, and all tools of a server `server_*` or `server*`. */
const MCP = /^(?<server>[^_*\s]+)(?:_(?<tool>\S+)|\*)$/u

/**
 * Returns the tool names of a card. The card's servers tell which part of an MCP tool name is the server; by
 * default it is the first word.
 */
export function opencodeProductTools({ fields, project = [] }: RawCard): ProductTools {
  const servers = serverNames({ fields, project })
  return {
    product: 'opencode',
    known: OPENCODE_TOOLS,
    read: (name) => {
      const own = servers
        .filter((server) => name.startsWith(`${legalName(server)}_`) || name === `${server}*`)
        .toSorted((a, b) => b.length - a.length)[0]
      if (own !== undefined) return { server: own, tool: name.slice(own.length + 1) || '*' }
      const groups = name.startsWith('mcp__') ? undefined : MCP.exec(name)?.groups
      return groups && { server: groups['server'] ?? '', tool: groups['tool'] ?? '*' }
    },
  }
}

/** Converts a server name to the prefix of its tool names. */
function legalName(server: string): string {
  return server.replaceAll(/[^\w-]/gu, '_')
}

/** Names of servers by the keys of their card. */
const SERVER_NAMES = new WeakMap<JsonObject, readonly string[]>()

/** Returns the names of the servers of the card and of its project. */
function serverNames({ fields, project = [] }: Pick<RawCard, 'fields' | 'project'>): readonly string[] {
  const known = SERVER_NAMES.get(fields)
  if (known !== undefined) return known
  const files = [fields, ...project.map((settings) => settings.fields)]
  const names = [...new Set(files.flatMap(({ mcp }) => Object.keys(opencodeServers(mcp))))]
  SERVER_NAMES.set(fields, names)
  return names
}

/** Maximum length of a name with wildcards; tools have shorter names. */
const MAX_GLOB = 200
/** Maximum number of servers that a name with wildcards is compared with one by one. */
const MAX_COMPARED = 100

/**
 * Returns the canonical names of the tools that a name or a glob matches, as in opencode, where the tool of a
 * server is named `server_tool`. Empty if there is no such tool.
 */
export function opencodeToolNames(name: string, card: RawCard): readonly string[] {
  if (name === '*') return ['*']
  if (name === 'task') return ['agent__*']
  const isGlob = /[*?]/u.test(name) && name.length <= MAX_GLOB
  const builtIn = isGlob ? [...OPENCODE_TOOLS.keys()].filter((tool) => isMatch(name, tool)) : []
  const servers = serverNames(card)
  const ofServers =
    isGlob && servers.length > MAX_COMPARED
      ? withBoundaries(name)
      : servers.flatMap((server) =>
          toolsAfter(name, `${legalName(server)}_`).map((tool) => mcpToolName(server, tool)),
        )
  const found = [...builtIn.flatMap((tool) => opencodeToolNames(tool, card)), ...ofServers]
  if (found.length > 0) return [...new Set(found)]
  const word = lookupTool(name, opencodeProductTools(card))
  if (word === undefined) return isGlob ? withBoundaries(name) : []
  if ('tools' in word) return word.tools
  return 'server' in word ? [mcpToolName(word.server, word.tool ?? '*')] : []
}

function isMatch(glob: string, tool: string): boolean {
  return restsAfter(`${glob}\0`, tool).includes('\0')
}

/** Returns the globs that match the names of tools after the prefix of their server. */
function toolsAfter(glob: string, prefix: string): readonly string[] {
  const rests = restsAfter(glob, prefix)
  return rests.filter((rest) => rest !== '' && !rests.includes(`*${rest}`))
}

/** Returns the globs that match what may follow `prefix` in a text that `glob` matches. */
function restsAfter(glob: string, prefix: string): readonly string[] {
  if (glob.length > MAX_GLOB) return []
  let rests = withoutStar([glob.replaceAll(/\*+/gu, '*')])
  for (const character of prefix) {
    if (rests.length === 0) return []
    rests = withoutStar(
      rests.flatMap((rest) => {
        if (rest.startsWith('*')) return [rest]
        return rest.startsWith('?') || rest.startsWith(character) ? [rest.slice(1)] : []
      }),
    )
  }
  return rests
}

/** Adds what each glob matches if the star at its start matches nothing. */
function withoutStar(globs: readonly string[]): readonly string[] {
  return [...new Set(globs.flatMap((glob) => (glob.startsWith('*') ? [glob, glob.slice(1)] : [glob])))]
}

/** Returns globs for the tools of unknown servers, with the boundary between server and tool at every place. */
function withBoundaries(glob: string): readonly string[] {
  return [...glob.matchAll(/[*_]/gu)].map(({ 0: mark, index }) => {
    const boundary = mark === '*' ? '*__*' : '__'
    return `${glob.slice(0, index)}${boundary}${glob.slice(index + 1)}`
  })
}

/** Returns the servers of `mcp`; the newer form has them under `servers`. */
function opencodeServers(mcp: Json | undefined): JsonObject {
  const { servers, timeout, ...direct } = mappingOf(mcp)
  const isNested = isJsonObject(servers) && !isServer(servers)
  return {
    ...direct,
    ...(isJsonObject(timeout) && isServer(timeout) ? { timeout } : {}),
    ...(isNested ? servers : servers === undefined ? {} : { servers }),
  }
}

/** Converts the timeouts of a server: a number limits its start, the newer mapping also limits calls. */
function withTimes(server: Json): Json {
  if (!isJsonObject(server)) return server
  const { timeout } = server
  const { startup: start = timeout, request } = mappingOf(timeout)
  return {
    ...server,
    ...(typeof start === 'number' ? { startTimeout: start } : {}),
    ...(typeof request === 'number' ? { toolTimeout: request } : {}),
  }
}

const SERVER_KEYS = ['type', 'command', 'url']

function isServer(value: JsonObject): boolean {
  return SERVER_KEYS.some((key) => Object.hasOwn(value, key))
}

/**
 * Adds the servers of the project that the agent may use: all that are enabled, unless its tools or its rules
 * leave them out.
 */
export function putProjectMcp(field: FieldContext): void {
  const { project = [], path } = field.card
  const servers = project.flatMap((settings): readonly ProjectServer[] => {
    if (settings.file === path || isOfUser(settings, field.card)) return []
    const folder = posix.join(posix.dirname(settings.name), isOwnFolder(settings) ? '..' : '.')
    return Object.entries(opencodeServers(settings.fields['mcp'])).map(([name, server]) => ({
      name,
      definition: withTimes(server),
      settings,
      folder,
    }))
  })
  const last = new Map(servers.map((server) => [server.name, mappingOf(server.definition)]))
  const enabled = servers.filter(({ name }) => last.get(name)?.['enabled'] !== false)
  putProjectServers(enabled, { all: true }, field)
}

/** Path of the opencode configuration, which may define agents. */
export const OPENCODE_FILE: RegExp = /(?:^|\/)opencode\.jsonc?$/u
/** Folder of the configuration of the user, in the home folder. */
export const USER_FOLDER = '.config/opencode/'

/** Returns true for settings of the user, unless the agent belongs to the user, too. Only their rules apply. */
export function isOfUser({ file }: ProjectSettings, { path }: RawCard): boolean {
  const [folder = '', rest] = file.replaceAll('\\', '/').split(/(?<=\/\.config\/opencode\/)/u)
  return rest !== undefined && !path.replaceAll('\\', '/').startsWith(folder)
}

function isOwnFolder({ file }: ProjectSettings): boolean {
  return /(?:^|[\\/])\.opencode[\\/][^\\/]+$/u.test(file)
}

/** Adds the servers that are enabled. */
export function putOpencodeServers(value: Json, field: FieldContext): FieldOutcome {
  const isNested = isJsonObject(mappingOf(value)['servers'])
  for (const [name, server] of Object.entries(opencodeServers(value))) {
    const { enabled, disabled } = mappingOf(server)
    const isDirect = !isNested || Object.hasOwn(mappingOf(value), name)
    const at = [...field.from, ...(isDirect ? [] : ['servers']), name]
    if (enabled === false || disabled === true)
      field.rewriter.note({ key: dottedPath(at), status: 'ignored', reason: 'it is disabled' })
    else putServer(name, withTimes(server), { field, at })
  }
  return undefined
}
