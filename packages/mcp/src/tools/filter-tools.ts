import { mcpToolName, type ToolDefinition, type ToolFilter } from '@troupe/schema'
import picomatch from 'picomatch'

/** The selected tools in their order, and the filter entries that match no tool. */
export interface FilteredTools {
  readonly tools: readonly ToolDefinition[]
  readonly unmatched: readonly UnmatchedEntry[]
}

/** A filter entry that matches no tool. */
export interface UnmatchedEntry {
  /** The name or glob as written. */
  readonly entry: string
  /** Index of the entry in its list. */
  readonly index: number
  /** The server that the entry is for; `undefined` for an entry of `allow`. */
  readonly server?: string
  /** The names that the entry was compared with. */
  readonly names: readonly string[]
}

/**
 * Applies the `tools` filter of a card. `servers` holds names and globs of a server's own tool names; servers
 * not listed keep all tools, an empty list selects none. `allow` holds canonical names and globs for all
 * tools. Globs match whole names.
 */
export function filterTools(tools: readonly ToolDefinition[], filter: ToolFilter): FilteredTools {
  const unmatched: UnmatchedEntry[] = []
  const byServer = new Map(
    Object.entries(filter.servers ?? {}).map(([server, entries]) => {
      const own = tools.filter((tool) => isToolOf(tool, server)).map(ownName)
      unmatched.push(...unused(entries, own).map((entry) => ({ ...entry, server })))
      return [server, anyOf(entries)]
    }),
  )
  const names = tools.map((tool) => tool.name)
  unmatched.push(...unused(filter.allow ?? [], names))
  const allowed = filter.allow === undefined ? () => true : anyOf(filter.allow)
  return { tools: tools.filter((tool) => isKept(tool, byServer) && allowed(tool.name)), unmatched }
}

type Matcher = (name: string) => boolean

function isKept(tool: ToolDefinition, byServer: ReadonlyMap<string, Matcher>): boolean {
  const matches = tool.source === 'mcp' && tool.server !== undefined ? byServer.get(tool.server) : undefined
  return matches === undefined || matches(ownName(tool))
}

function isToolOf(tool: ToolDefinition, server: string): boolean {
  return tool.source === 'mcp' && tool.server === server
}

function ownName(tool: ToolDefinition): string {
  return tool.name.slice(mcpToolName(tool.server ?? '', '').length)
}

function anyOf(entries: readonly string[]): Matcher {
  const matchers = entries.map(namePattern)
  return (name) => matchers.some((matches) => matches(name))
}

function unused(entries: readonly string[], names: readonly string[]): readonly UnmatchedEntry[] {
  return entries.flatMap((entry, index) => (names.some(namePattern(entry)) ? [] : [{ entry, index, names }]))
}

/** Start of an entry that is compared without upper and lower case. */
const IGNORE_CASE = '(?i)'

/** Returns a predicate for a filter entry: an exact name, or a glob over the whole name. */
export function namePattern(entry: string): (name: string) => boolean {
  const nocase = entry.startsWith(IGNORE_CASE)
  const pattern = nocase ? entry.slice(IGNORE_CASE.length) : entry
  const matches = picomatch(pattern, { dot: true, bash: true, noextglob: true, nonegate: true, nocase })
  return (name) => name === entry || matches(name)
}
