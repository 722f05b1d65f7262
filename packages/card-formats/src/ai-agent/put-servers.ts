import { dirname, relative, sep } from 'node:path'
import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  addToList,
  textList,
  type FieldContext,
  type FieldPath,
  type ProjectSettings,
} from '@troupe/cards/formats'
import { isText, mappingOf } from '../rules/field-rule.ts'
import { becomes, reportKeys, without, type ConfigKeys } from './config-keys.ts'
import { entryMapping, findConfigEntry, refuseEntry, type ConfigEntry } from './config-layers.ts'
import { queueLimit } from './queues.ts'

const TYPES: ReadonlyMap<string, string> = new Map([
  ['stdio', 'stdio'],
  ['local', 'stdio'],
  ['http', 'http'],
  ['remote', 'http'],
  ['streamable-http', 'http'],
  ['sse', 'sse'],
  ['websocket', 'websocket'],
])

/** Keys of a server. */
export const SERVER_KEYS: ConfigKeys = {
  type: becomes('mcpServers.*.type', 'a URL with `ws` means a websocket'),
  command: becomes('mcpServers.*.command'),
  args: becomes('mcpServers.*.args'),
  env: becomes('mcpServers.*.env'),
  url: becomes('mcpServers.*.url'),
  headers: becomes('mcpServers.*.headers'),
  enabled: becomes('mcpServers.*.disabled'),
  queue: becomes('mcpServers.*.maxParallel', 'the limit applies to each server of the queue'),
  shared: becomes('mcpServers.*.shared'),
  requestTimeoutMs: becomes('mcpServers.*.toolTimeout'),
  toolsAllowed: becomes('tools', 'case-insensitive; an empty list allows all tools'),
  toolsDenied: becomes('permissions.deny', 'it wins over `toolsAllowed`'),
  cache: without('results of tools are not stored; see the hook `troupe:cache`'),
  toolsCache: without('the tools of a server are listed once per connection'),
  healthProbe: without('a server that stops answering is restarted'),
}

/** Defines the servers that the card names and a layer of the configuration has. Others stay as they are. */
export function putConfiguredServers(layers: readonly ProjectSettings[], field: FieldContext): void {
  const { rewriter } = field
  const names = textList(rewriter.get(['servers']) ?? [], ['servers'])
  if (names === undefined || layers.length === 0) return
  const named = names.map(({ text, at }) => ({ text, from: rewriter.originOf(at) }))
  const entries = named.map((each) => ({ ...each, entry: findConfigEntry(layers, 'mcpServers', each.text) }))
  if (!entries.some(({ entry }) => entry !== undefined)) return
  rewriter.remove(['servers'])
  for (const { text, from, entry } of entries) {
    if (entry === undefined) addToList(rewriter, { to: ['servers'], values: [text], from })
    else putServer(text, { entry, layers, from, field })
  }
}

interface ServerSource {
  readonly entry: ConfigEntry
  readonly layers: readonly ProjectSettings[]
  /** Path at which the card names the server. */
  readonly from: FieldPath
  readonly field: FieldContext
}

function putServer(name: string, source: ServerSource): void {
  const { entry, from, field } = source
  const value = entryMapping(entry, field)
  if (value === undefined) return
  const type = serverType(value, source)
  if (type === undefined) return
  reportKeys(value, SERVER_KEYS, source)
  const limit = queueLimit(value['queue'], source)
  if (limit !== undefined)
    field.rewriter.note({
      key: `${entry.settings.label}: ${[...entry.at, 'queue'].join('.')}`,
      status: 'translated',
      to: `mcpServers.${name}.maxParallel: ${limit}`,
      reason: 'the limit applies to each server of the queue',
    })
  const server: JsonObject = {
    ...(type === 'sse' ? { type } : {}),
    ...(type === 'stdio' ? commandOf(value, field) : {}),
    ...(type !== 'stdio' && isText(value['url']) ? { url: toUrl(value['url'], type) } : {}),
    ...(type !== 'stdio' && isJsonObject(value['headers']) ? { headers: texts(value['headers']) } : {}),
    ...(typeof value['shared'] === 'boolean' ? { shared: value['shared'] } : {}),
    ...(value['enabled'] === false ? { disabled: true } : {}),
    ...(value['requestTimeoutMs'] === undefined ? {} : { toolTimeout: value['requestTimeoutMs'] }),
    ...(limit === undefined ? {} : { maxParallel: limit }),
  }
  field.rewriter.put(['mcpServers', name], server, from)
  field.rewriter.note({
    key: `${entry.settings.label}: mcpServers.${name}`,
    status: 'translated',
    to: `mcpServers.${name}`,
  })
  putToolFilter(name, value, source)
}

function serverType(value: JsonObject, { entry, field }: ServerSource): string | undefined {
  const written = value['type']
  if (written === undefined) return value['url'] === undefined ? 'stdio' : 'http'
  const type = isText(written) ? TYPES.get(written.toLowerCase()) : undefined
  if (type === undefined)
    refuseEntry(entry, field, {
      key: 'type',
      message: `has the transport ${JSON.stringify(written)}, which Troupe does not have`,
      fix: 'Use stdio, http, sse or websocket.',
    })
  return type
}

/** Returns the URL of a server. In Troupe, it says whether to use a WebSocket. */
function toUrl(url: string, type: string): string {
  return type === 'websocket' ? url.replace(/^http(?=s?:)/iu, 'ws') : url
}

/** Returns the keys of a process. It runs in the folder in which ai-agent would be started. */
function commandOf(value: JsonObject, { card }: FieldContext): JsonObject {
  const { command, args, env } = value
  const [program, ...first] = Array.isArray(command) ? (command as readonly Json[]) : [command ?? '']
  const rest = Array.isArray(args) ? (args as readonly Json[]) : []
  const cwd = relative(dirname(card.path), card.workspace ?? dirname(card.path)).replaceAll(sep, '/')
  return {
    command: withRoot(program ?? ''),
    ...(first.length + rest.length === 0 ? {} : { args: [...first, ...rest].map(withRoot) }),
    ...(isJsonObject(env) ? { env: texts(env) } : {}),
    ...(cwd === '' ? {} : { cwd }),
  }
}

function texts(mapping: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(mapping).map(([key, member]) => [
      key,
      withRoot(typeof member === 'number' || typeof member === 'boolean' ? String(member) : member),
    ]),
  )
}

/** An unset `MCP_ROOT` is the working folder. */
function withRoot(value: Json): Json {
  return isText(value) ? value.replaceAll('${MCP_ROOT}', '${MCP_ROOT:-.}') : value
}

/** Limits the agent to `toolsAllowed` and denies `toolsDenied`. An empty list of allowed tools is all. */
function putToolFilter(name: string, value: JsonObject, { entry, from, field }: ServerSource): void {
  const { rewriter } = field
  const written = namesOf('toolsAllowed', value, { entry, field })
  const denied = namesOf('toolsDenied', value, { entry, field })
  if (written.length > 0 && !written.includes('*')) {
    const deniedNames = new Set(denied.map((tool) => tool.toLowerCase()))
    const allowed = written.filter((tool) => !deniedNames.has(tool.toLowerCase()))
    const pattern = allowed.find((tool) => /[*?[\]{}!\\]/u.test(tool))
    if (pattern !== undefined)
      refuseEntry(entry, field, {
        key: 'toolsAllowed',
        message: `allows "${pattern}", but only names and \`*\` are supported there`,
        fix: 'List the names of the tools.',
      })
    const tools = rewriter.get(['tools'])
    if (tools === undefined || isJsonObject(tools)) intersect(name, allowed, { from, field })
    else
      refuseEntry(entry, field, {
        key: 'toolsAllowed',
        message: 'limits the tools of the server, and so does the list of tools in the card',
        fix: 'Write the limit in one place.',
      })
  }
  addToList(rewriter, {
    to: ['permissions', 'deny'],
    values: denied.map((tool) => `${name}__${tool}`),
    from,
  })
}

/** Gives the agent the tools that both the card and the configuration list. */
function intersect(
  name: string,
  allowed: readonly string[],
  { from, field: { rewriter } }: Pick<ServerSource, 'from' | 'field'>,
): void {
  const written = getOwn(mappingOf(rewriter.get(['tools'])), name)
  const listed = Array.isArray(written) ? (written as readonly Json[]) : undefined
  const names = new Set(allowed.map((tool) => tool.toLowerCase()))
  rewriter.remove(['tools', name])
  rewriter.put(
    ['tools', name],
    listed?.filter((tool) => isText(tool) && names.has(tool.toLowerCase())) ??
      allowed.map((tool) => `(?i)${tool}`),
    from,
  )
}

function namesOf(
  key: string,
  value: JsonObject,
  { entry, field }: Pick<ServerSource, 'entry' | 'field'>,
): readonly string[] {
  const names = textList(value[key] ?? [], [])?.map(({ text }) => text)
  if (names === undefined) refuseEntry(entry, field, { key, message: `needs a list of names in \`${key}\`` })
  return names ?? []
}
