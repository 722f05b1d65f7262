import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'

/** The fields of a card moved to another folder. */
export interface Relocation {
  readonly fields: JsonObject
  /** Key and text of paths that cannot be rewritten: code must lie in or below the folder of its card. */
  readonly unmovable: readonly string[]
}

/** The folders of a card before and after it is moved. */
interface Relocated {
  readonly from: string
  readonly to: string
  /** New paths of the cards that are converted together with it, by their paths. */
  readonly converted?: ReadonlyMap<string, string> | undefined
}

/** Keys with references to other agents. */
const CHILD_KEYS: ReadonlySet<string> = new Set([
  'agents',
  'sequence',
  'fanOut',
  'fanIn',
  'handoffs',
  'generator',
  'evaluator',
  'worker',
])
/** Children that a host takes for paths. */
const CARD_PATH = /[\\/]|\.(?:md|ai|ya?ml|jsonc?)$/iu
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//iu

interface PathRewriter {
  /** Rewrites a path for the new folder. Absolute paths stay the same. */
  readonly path: (written: string) => string
  /** Rewrites the path of a card, or of a folder of cards. Those that are converted as well have new paths. */
  readonly cards: (written: string) => readonly string[]
  /** Rewrites the path of code, and records it as unmovable if it is absolute or outside the new folder. */
  readonly code: (written: string, key: string) => string
}

/**
 * Rewrites the relative paths in a card's translated fields for another folder: code, skills, scripts,
 * children and servers. Pure.
 */
export function relocate(fields: JsonObject, { from, to, converted = new Map() }: Relocated): Relocation {
  const unmovable: string[] = []
  const path = (written: string): string =>
    isAbsolute(written) ? written : relocatePath(written, { from, to })
  const cards = (written: string): readonly string[] => {
    const isOld = cardFiles(written, from)
    const moved = [...converted].filter(([file]) => isOld(file))
    return moved.length === 0
      ? [path(written)]
      : moved.map(([, file]) => relocatePath(file, { from: to, to }))
  }
  const code = (written: string, key: string): string => {
    const spec = path(written)
    if (isAbsolute(written) || spec.startsWith('../')) unmovable.push(`${key}: ${written}`)
    return spec
  }
  const move: PathRewriter = { path, cards, code }
  const rewritten = Object.entries(fields).map(([key, value]): [string, Json] => [
    key,
    rewrite(key, value, move),
  ])
  return { fields: Object.fromEntries(rewritten), unmovable }
}

/** A folder with a pattern for the files in it, such as `agents/*.md`, or in its subfolders too. */
const PATTERN = /^(?<folder>[^*?[\]{}]*)\/(?<deep>\*\*\/)?\*(?<ending>\.\w+)?$/u

/** Returns a predicate for the files that a path, a folder or a pattern of cards means. */
function cardFiles(written: string, from: string): (file: string) => boolean {
  const { folder, deep, ending = '' } = PATTERN.exec(written)?.groups ?? {}
  const path = resolve(from, folder ?? written)
  if (folder === undefined) return (file) => file === path || file.startsWith(`${path}${sep}`)
  return (file) =>
    file.endsWith(ending) && (deep === undefined ? dirname(file) === path : file.startsWith(`${path}${sep}`))
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
  if (key === 'guard')
    return eachMember(value, (guards, place) =>
      eachEntry(guards, (guard) => relocateGuard(guard, `${key}.${place}`, move)),
    )
  if (key === 'skills') return eachText(value, move.path)
  if (CHILD_KEYS.has(key)) return relocateChildren(value, move)
  if (key === 'agentTools' && isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([child, tool]) => relocateChild(child, move).map((way) => [way, tool])),
    )
  if (key === 'model') return eachText(value, (id) => relocateScript(id, move))
  if (key === 'mcpServers') return eachMember(value, (server) => relocateServer(server, move))
  return value
}

function relocateGuard(guard: Json, key: string, move: PathRewriter): Json {
  if (!isJsonObject(guard) || typeof guard['agent'] !== 'string' || 'use' in guard)
    return relocateCode(guard, key, move)
  const [agent = guard['agent']] = relocateChild(guard['agent'], move)
  return { ...guard, agent }
}

/** Rewrites `module.ts:name`, alone or under `use`. Stock hooks have no path. */
function relocateCode(entry: Json, key: string, { code }: Pick<PathRewriter, 'code'>): Json {
  if (isJsonObject(entry) && typeof entry['use'] === 'string')
    return { ...entry, use: relocateCode(entry['use'], key, { code }) }
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

function relocateChildren(value: Json, move: PathRewriter): Json {
  if (typeof value === 'string') return relocateChild(value, move)[0] ?? value
  if (!Array.isArray(value)) return value
  return (value as readonly Json[]).flatMap((child): readonly Json[] =>
    typeof child === 'string' ? relocateChild(child, move) : [child],
  )
}

/**
 * Rewrites the path of a child and leaves names alone. A path keeps a `/`, without which it would be a name.
 */
function relocateChild(child: string, { cards }: PathRewriter): readonly string[] {
  if (!CARD_PATH.test(child) || ADDRESS.test(child)) return [child]
  return cards(child).map((way) => (way.includes('/') ? way : `./${way}`))
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
