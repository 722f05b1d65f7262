import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { textList, type FieldContext, type FieldRow, type RawCard } from '@troupe/cards/formats'
import { isText, mappingOf, textOf } from '../rules/field-rule.ts'
import { projectOf, settingAt } from './project.ts'
import { parseTarget } from './server-target.ts'
import { convertVariables } from './variables.ts'

/** Reason reported for `management: provider`, with which the provider of the model calls the server. */
export const CONNECTS_ITSELF = 'Troupe connects to the server itself'

const MANAGED = `${CONNECTS_ITSELF}; without an address an error`
const CONNECTION = 'Troupe keeps connections open and reconnects by itself'
/** Keys of a server that have no effect, with the reason. */
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ['name', 'the server has the name of its entry'],
  ['description', 'models read the descriptions of the tools'],
  ['load_on_start', 'a server starts with the first run that needs it'],
  ['include_instructions', 'the instructions of MCP servers are not added to prompts'],
  ['reconnect_on_disconnect', CONNECTION],
  ['ping_interval_seconds', CONNECTION],
  ['max_missed_pings', CONNECTION],
  ['http_timeout_seconds', 'see `startTimeout` and `toolTimeout`'],
  ['read_transport_sse_timeout_seconds', 'see `toolTimeout`'],
  ['protocol_mode', 'the protocol version is negotiated'],
  ['elicitation', 'servers cannot ask people for input'],
  ['experimental_session_advertising', CONNECTION],
])
/** Keys whose loss changes what the server may do or can do. */
const LOST: ReadonlyMap<string, string> = new Map([
  ['roots', 'Troupe offers servers no roots; pass the folders in `args`'],
  ['sampling', 'servers cannot call models through Troupe'],
])
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
  ...[...READ].map((key) => ({ key: rowKey(key), status: 'translated', to: 'mcpServers' }) as const),
  ...[
    ...LOST,
    ...WITHOUT_EFFECT,
    ['management', MANAGED] as const,
    ['connector_id', 'an error'] as const,
  ].map(([key, reason]) => ({ key: rowKey(key), status: 'ignored', reason }) as const),
]

function rowKey(key: string): string {
  return `mcp.servers.N.${key}`
}

/** Defines the servers of the card that the configuration of its project defines. */
export function putConfiguredServers(field: FieldContext): void {
  const { rewriter, card } = field
  const project = projectOf(card)
  for (const { text: name, at } of textList(rewriter.get(['servers']) ?? [], ['servers']) ?? []) {
    const server = settingAt(project.settings, ['mcp', 'servers', name])
    if (!isJsonObject(server) || rewriter.get(['mcpServers', name]) !== undefined) continue
    const from = rewriter.originOf(at)
    const label = `${project.file?.name ?? 'secrets'}: mcp.servers.${name}`
    reportKeys(server, { label, name, field })
    if (isElsewhere(server)) continue
    const definition = toServer(server, card)
    rewriter.put(['mcpServers', name], definition, from)
    rewriter.note({ key: label, status: 'translated', to: `mcpServers.${name}` })
    const plain = settingAt(project.config, ['mcp', 'servers', name])
    const known = toServer(mappingOf(plain), card)
    for (const path of changedTexts(definition, known)) rewriter.markSecret(['mcpServers', name, ...path])
  }
}

function reportKeys(
  server: JsonObject,
  { label, name, field }: { readonly label: string; readonly name: string; readonly field: FieldContext },
): void {
  const { rewriter } = field
  if (server['management'] === 'provider' && !isElsewhere(server))
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
    const lost = LOST.get(key)
    if (lost !== undefined)
      rewriter.addProblem({
        severity: 'warning',
        code: 'key_without_effect',
        message: `\`${key}\` of the MCP server "${name}" has no effect: ${lost}.`,
        at: ['servers'],
      })
    rewriter.note({
      key: `${label}.${key}`,
      status: 'ignored',
      reason: lost ?? WITHOUT_EFFECT.get(key) ?? 'fast-agent has no such key',
    })
  }
}

/** Returns true for a server that only the provider of the model can reach. */
function isElsewhere(server: JsonObject): boolean {
  const hasAddress = server['url'] !== undefined || server['target'] !== undefined
  return (server['management'] === 'provider' && !hasAddress) || server['connector_id'] !== undefined
}

/** Converts the definition of a server. Its folder becomes relative to that of the card. */
export function toServer(written: JsonObject, card: RawCard): JsonObject {
  const { target } = written
  const server = convertVariables({ ...(isText(target) ? parseTarget(target) : {}), ...written })
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
