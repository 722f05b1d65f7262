import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { textList, type FieldContext, type FieldRow, type RawCard } from '@troupe/cards/formats'
import { isText, mappingOf, textOf } from '../rules/field-rule.ts'
import {
  projectOf,
  settingAt,
  SETTINGS_WITHOUT_FILE,
  warnOfSetting,
  type FastAgentProject,
} from './project.ts'

/** Reason reported for `management: provider`, with which the provider of the model calls the server. */
export const CONNECTS_ITSELF = 'Troupe connects to the server itself'

/** Reason reported for settings that the documentation of fast-agent does not name. */
export const NOT_READ = 'Troupe does not read this setting'

/** Reason reported for servers that only the provider of the model can reach. */
export const ELSEWHERE = 'Troupe has no servers that the model provider runs'
/** Reason of the rows for `management`. */
export const MANAGED: string = `${CONNECTS_ITSELF}; without an address an error`
const CONNECTION = 'Troupe keeps connections open and reconnects by itself'
/** Keys of a server that have no effect, with the reason. */
export const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ['name', 'the server has the name of its entry'],
  ['description', 'models read the descriptions of the tools'],
  ['include_instructions', 'the instructions of MCP servers are not added to prompts'],
  ['reconnect_on_disconnect', CONNECTION],
  ['ping_interval_seconds', CONNECTION],
  ['max_missed_pings', CONNECTION],
  ['protocol_mode', 'the protocol version is negotiated'],
  ['experimental_session_advertising', CONNECTION],
  ['implementation', 'Troupe names itself to the server'],
  ['defer_loading', 'only servers that the model provider runs use it'],
])

/** A key whose loss changes what the server can do, unless its value is what Troupe does anyway. */
interface LostKey {
  readonly reason: string
  isUsual(value: Json): boolean
}

const LOST: ReadonlyMap<string, LostKey> = new Map([
  ['roots', lost('write folders in `roots` of the server in `troupe.json`', isEmpty)],
  ['sampling', lost('set `sampling: allow` of the server in `troupe.json` to let it use models', isEmpty)],
  [
    'elicitation',
    lost('servers cannot ask people for input', (value) => mappingOf(value)['mode'] !== 'forms'),
  ],
  ['load_on_start', lost('a server starts with the first run that needs it', (value) => value === true)],
  ['http_timeout_seconds', lost('see `startTimeout` and `toolTimeout`')],
  ['http_read_timeout_seconds', lost('see `toolTimeout`')],
  ['read_transport_sse_timeout_seconds', lost('see `toolTimeout`', (value) => value === 300)],
])

function lost(reason: string, isUsual: LostKey['isUsual'] = () => false): LostKey {
  return { reason, isUsual }
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Keys of `auth` that have no effect, with the reason. */
const AUTH_WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ['oauth', 'Troupe logs in with `troupe servers login` only'],
  ['redirect_path', 'Troupe chooses the path'],
  ['persist', 'Troupe stores a login until `troupe servers logout`'],
])
const AUTH: readonly string[] = ['scope', 'redirect_port', 'client_metadata_url']
const READ: ReadonlySet<string> = new Set([
  'transport',
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'access_token',
  'auth',
  'read_timeout_seconds',
  'target',
])

/** Rows of the documentation for each key of a server. */
export const SERVER_ROWS: readonly FieldRow[] = [
  ...[...READ, ...AUTH.map((key) => `auth.${key}`)].map(
    (key) => ({ key, status: 'translated', to: 'mcpServers' }) as const,
  ),
  ...[...LOST].map(([key, { reason }]) => ({ key, status: 'ignored', problem: 'warning', reason }) as const),
  ...[
    ...WITHOUT_EFFECT,
    ...[...AUTH_WITHOUT_EFFECT].map(([key, reason]) => [`auth.${key}`, reason] as const),
    ['management', MANAGED] as const,
  ].map(([key, reason]) => ({ key, status: 'ignored', reason }) as const),
  {
    key: 'connector_id',
    status: 'ignored' as const,
    problem: 'error' as const,
    reason: ELSEWHERE,
  },
].map((row) => ({ ...row, key: `mcp.servers.N.${row.key}` }))

/** Defines the servers of the card that the configuration of its project defines. */
export function putConfiguredServers(field: FieldContext): void {
  const { rewriter, card } = field
  const project = projectOf(card)
  const servers = serversOf(project.settings)
  const plain = serversOf(project.config)
  for (const { text: name, at } of textList(rewriter.get(['servers']) ?? [], ['servers']) ?? []) {
    const server = settingAt(servers, [name])
    if (!isJsonObject(server) || rewriter.get(['mcpServers', name]) !== undefined) continue
    const from = rewriter.originOf(at)
    const label = `${project.file?.name ?? SETTINGS_WITHOUT_FILE}: mcp.servers.${name}`
    reportKeys(server, { label, name, field })
    if (isElsewhere(server)) continue
    const definition = toServer(server, card)
    rewriter.put(['mcpServers', name], definition, from)
    rewriter.note({ key: label, status: 'translated', to: `mcpServers.${name}` })
    const known = toServer(mappingOf(settingAt(plain, [name])), card)
    for (const path of changedTexts(definition, known)) rewriter.markSecret(['mcpServers', name, ...path])
  }
}

/** Returns the servers of a configuration by name: `mcp.targets`, replaced by `mcp.servers` of the same name. */
function serversOf(settings: FastAgentProject['settings']): JsonObject {
  const { targets, servers } = mappingOf(settings['mcp'])
  const entries = (Array.isArray(targets) ? (targets as readonly Json[]) : []).flatMap((entry) => {
    const server = isText(entry) ? { target: entry } : mappingOf(entry)
    const { target, name } = server
    return isText(target) ? [[isText(name) ? name : targetName(target), server] as const] : []
  })
  return { ...Object.fromEntries(entries), ...mappingOf(servers) }
}

function reportKeys(
  server: JsonObject,
  { label, name, field }: { readonly label: string; readonly name: string; readonly field: FieldContext },
): void {
  const { rewriter } = field
  const isManaged = server['management'] === 'provider'
  if (isManaged && !isElsewhere(server))
    rewriter.note({ key: `${label}.management`, status: 'ignored', reason: CONNECTS_ITSELF })
  if (isElsewhere(server))
    rewriter.addProblem({
      code: 'card_unsupported',
      message: `The MCP server "${name}" is run by the model provider (\`management: provider\`), which Troupe does not support.`,
      at: ['servers'],
      fix: `Define "${name}" with \`command\` or \`url\` in \`mcpServers\` of troupe.json.`,
    })
  for (const [key, value] of Object.entries(server)) {
    if (READ.has(key) || value === null || key === 'management' || key === 'connector_id') continue
    const lostKey = LOST.get(key)
    const reason = lostKey?.reason ?? WITHOUT_EFFECT.get(key) ?? NOT_READ
    if (lostKey?.isUsual(value) === false)
      warnOfSetting(
        ['mcp', 'servers', name, key],
        `\`${key}\` of the MCP server "${name}" has no effect: ${reason}.`,
        field,
      )
    rewriter.note({
      key: `${label}.${key}`,
      status: 'ignored',
      reason,
    })
  }
  for (const key of Object.keys(mappingOf(server['auth'])).filter((each) => !AUTH.includes(each)))
    rewriter.note({
      key: `${label}.auth.${key}`,
      status: 'ignored',
      reason: AUTH_WITHOUT_EFFECT.get(key) ?? NOT_READ,
    })
}

/** Returns true for a server that only the provider of the model can reach. */
function isElsewhere(server: JsonObject): boolean {
  const hasAddress = server['url'] !== undefined || server['target'] !== undefined
  return (server['management'] === 'provider' && !hasAddress) || server['connector_id'] !== undefined
}

const URL_TARGET = /^https?:\/\//iu

/** Reads the target of a server: a URL, a package such as `@scope/name`, or a command line. */
function parseTarget(target: string): JsonObject {
  const text = target.trim()
  if (URL_TARGET.test(text)) return { url: text }
  if (text.startsWith('@')) return { command: 'npx', args: ['-y', ...words(text)] }
  const [command = text, ...args] = words(text)
  return { command, args }
}

/** Returns the name of a server whose entry has none. */
export function targetName(target: string): string {
  if (URL_TARGET.test(target) && URL.canParse(target)) return new URL(target).hostname.replaceAll('.', '-')
  const word = target.split(/\s+/u).findLast((part) => !part.startsWith('-')) ?? target
  return word
    .replace(/^@[^/]*\//u, '')
    .replace(/@[^@]*$/u, '')
    .replaceAll(/[^\w-]+/gu, '-')
}

/** Splits a command line at blanks. Quotes keep words together; nothing is expanded. */
function words(line: string): readonly string[] {
  return [...line.matchAll(/"(?<double>[^"]*)"|'(?<single>[^']*)'|\S+/gu)].map(
    ({ 0: whole, groups }) => groups?.['double'] ?? groups?.['single'] ?? whole,
  )
}

/** Converts the definition of a server. Its folder becomes relative to that of the card. */
export function toServer(written: JsonObject, card: RawCard): JsonObject {
  const { target } = written
  const server = { ...(isText(target) ? parseTarget(target) : {}), ...written }
  const { url, command, args, env, read_timeout_seconds: seconds } = server
  const timeout = typeof seconds === 'number' && seconds > 0 ? { toolTimeout: seconds * 1000 } : {}
  if (isText(url)) {
    const type = server['transport'] === 'sse' ? { type: 'sse' } : {}
    return { url, ...type, ...headersOf(server), ...authOf(server['auth']), ...timeout }
  }
  return {
    ...(command === undefined ? {} : { command }),
    ...(Array.isArray(args) ? { args: (args as readonly Json[]).map(toText) } : {}),
    ...(isJsonObject(env) ? { env: textsOf(env) } : {}),
    ...cwdOf(server['cwd'], dirname(card.path), projectOf(card).root),
    ...timeout,
  }
}

/** Returns the headers of a server; an access token becomes its `Authorization` header. */
function headersOf({ headers, access_token: token }: JsonObject): JsonObject {
  const written = textsOf(mappingOf(headers))
  const all = isText(token) ? { Authorization: `Bearer ${token}`, ...written } : written
  return Object.keys(all).length === 0 ? {} : { headers: all }
}

/** Returns the OAuth settings of a server. */
function authOf(auth: Json | undefined): JsonObject {
  const { scope, redirect_port: redirectPort, client_metadata_url: clientMetadataUrl } = mappingOf(auth)
  const scopes = Array.isArray(scope)
    ? (scope as readonly Json[]).map((entry) => textOf(entry)).join(' ')
    : scope
  const all = {
    ...(isText(scopes) && scopes !== '' ? { scope: scopes } : {}),
    ...(typeof redirectPort === 'number' ? { redirectPort } : {}),
    ...(isText(clientMetadataUrl) ? { clientMetadataUrl } : {}),
  }
  return Object.keys(all).length === 0 ? {} : { auth: all }
}

function cwdOf(cwd: Json | undefined, folder: string, root: string): JsonObject {
  if (isText(cwd) && (isAbsolute(cwd) || cwd.startsWith('${'))) return { cwd }
  const path = relative(folder, join(root, isText(cwd) ? cwd : '.'))
  return path === '' ? {} : { cwd: path.split(sep).join('/') }
}

function textsOf(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => (value === null ? [] : [[key, toText(value)]])),
  )
}

function toText(value: Json): Json {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
}

/** Returns the paths of the texts in `value` that differ from those in `base`. */
function changedTexts(value: Json, base: Json | undefined): readonly (readonly (string | number)[])[] {
  if (typeof value === 'string') return value === base || value.startsWith('${') ? [] : [[]]
  if (typeof value !== 'object' || value === null) return []
  const other = (typeof base === 'object' && base !== null ? base : {}) as { readonly [key: string]: Json }
  return Object.entries(value).flatMap(([key, member]) =>
    changedTexts(member, other[key]).map((path) => [Array.isArray(value) ? Number(key) : key, ...path]),
  )
}
