import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { isAbsolute, relative, resolve, sep } from 'node:path'

/** The fields of a card moved to another folder. */
export interface Relocation {
  readonly fields: JsonObject
  /** Key and text of paths that cannot be rewritten: code must lie in or below the folder of its card. */
  readonly unmovable: readonly string[]
}

/** Children that a host takes for paths. */
const CARD_PATH = /[\\/]|\.(?:md|ai|ya?ml|json)$/iu
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//iu

interface PathRewriter {
  /** Rewrites a path for the new folder. Absolute paths stay the same. */
  readonly path: (written: string) => string
  /** Rewrites the path of code, and records it as unmovable if it is absolute or outside the new folder. */
  readonly code: (written: string, key: string) => string
}

/**
 * Rewrites the relative paths in a card's translated fields for another folder: code, skills, scripts,
 * children and servers. Pure.
 */
export function relocate(
  fields: JsonObject,
  { from, to }: { readonly from: string; readonly to: string },
): Relocation {
  const unmovable: string[] = []
  const path = (written: string): string =>
    isAbsolute(written) ? written : relocatePath(written, { from, to })
  const code = (written: string, key: string): string => {
    const spec = path(written)
    if (isAbsolute(written) || spec.startsWith('../')) unmovable.push(`${key}: ${written}`)
    return spec
  }
  const move: PathRewriter = { path, code }
  const rewritten = Object.entries(fields).map(([key, value]): [string, Json] => [
    key,
    rewrite(key, value, move),
  ])
  return { fields: Object.fromEntries(rewritten), unmovable }
}

function relocatePath(written: string, { from, to }: { readonly from: string; readonly to: string }): string {
  const way = relative(to, resolve(from, written)).split(sep).join('/')
  return way === '' ? '.' : way
}

function rewrite(key: string, value: Json, move: PathRewriter): Json {
  if (key === 'functionTools' || key === 'toolHooks')
    return eachEntry(value, (spec) => relocateCode(spec, key, move))
  if (key === 'loopHooks')
    return eachMember(value, (spec, when) => relocateCode(spec, `${key}.${when}`, move))
  if (key === 'skills') return eachText(value, move.path)
  if (key === 'agents') return eachText(value, (child) => relocateChild(child, move))
  if (key === 'agentTools' && isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([child, tool]) => [relocateChild(child, move), tool]),
    )
  if (key === 'model') return eachText(value, (id) => relocateScript(id, move))
  if (key === 'mcpServers') return eachMember(value, (server) => relocateServer(server, move))
  return value
}

/** Rewrites `module.ts:name`, alone or under `use`. Stock hooks have no path. */
function relocateCode(entry: Json, key: string, { code }: PathRewriter): Json {
  if (isJsonObject(entry) && typeof entry['use'] === 'string')
    return { ...entry, use: relocateCode(entry['use'], key, { code, path: (path) => path }) }
  if (typeof entry !== 'string' || !entry.includes(':') || entry.startsWith('troupe:')) return entry
  return code(entry, key)
}

function relocateScript(id: string, { path }: PathRewriter): string {
  const prefix = 'script/'
  return id.startsWith(prefix) ? prefix + path(id.slice(prefix.length)) : id
}

/** Sets `cwd`, because a server starts in the folder of its card by default. */
function relocateServer(server: Json, { path }: PathRewriter): Json {
  if (!isJsonObject(server) || typeof server['command'] !== 'string') return server
  const { cwd } = server
  if (cwd !== undefined && typeof cwd !== 'string') return server
  return cwd?.startsWith('${') === true ? server : { ...server, cwd: path(cwd ?? '.') }
}

/**
 * Rewrites the path of a child and leaves names alone. A path keeps a `/`, without which it would be a name.
 */
function relocateChild(child: string, { path }: PathRewriter): string {
  if (!CARD_PATH.test(child) || ADDRESS.test(child)) return child
  const way = path(child)
  return way.includes('/') ? way : `./${way}`
}

function eachText(value: Json, change: (text: string) => string): Json {
  return eachEntry(value, (entry) => (typeof entry === 'string' ? change(entry) : entry))
}

/** Applies `change` to every item of a list, or to a single value. */
function eachEntry(value: Json, change: (entry: Json) => Json): Json {
  return Array.isArray(value) ? (value as readonly Json[]).map(change) : change(value)
}

function eachMember(value: Json, change: (member: Json, key: string) => Json): Json {
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]))
}
