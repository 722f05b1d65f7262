import {
  mcpToolName,
  toWireName,
  type JsonObject,
  type McpServerConfig,
  type ToolCapability,
  type ToolContext,
  type ToolDefinition,
  type ToolEffect,
  type ToolResult,
  type ToolFilter,
} from '@troupe/schema'
import picomatch from 'picomatch'
import type { ServerTool } from './server-tool.ts'

/** Calls a tool of a server. Never rejects. */
export type CallServerTool = (tool: ServerTool, args: JsonObject, ctx: ToolContext) => Promise<ToolResult>

/** Converts a server's tool to a tool definition. */
export function toToolDefinition(
  tool: ServerTool,
  options: { readonly server: string; readonly config: McpServerConfig; readonly call: CallServerTool },
): ToolDefinition {
  const { server, config, call } = options
  const name = mcpToolName(server, tool.name)
  const definition = Object.freeze({
    name,
    wireName: toWireName(name),
    source: 'mcp',
    server,
    description: tool.description,
    inputSchema: tool.inputSchema,
    effect: effectOf(tool),
    ...(needsApproval(tool, config) ? { requiresApproval: true } : {}),
    ...capabilitiesOf(tool, config),
    ...(config.toolTimeout === undefined ? {} : { timeoutMs: config.toolTimeout }),
    execute: (args: JsonObject, ctx: ToolContext) => call(tool, args, ctx),
  } satisfies ToolDefinition)
  SERVER_TOOLS.set(definition, tool)
  return definition
}

const SERVER_TOOLS = new WeakMap<ToolDefinition, ServerTool>()

/**
 * Returns the server's description of a tool created by `toToolDefinition`; `undefined` for copies and tools
 * of other sources.
 */
export function serverToolOf(definition: ToolDefinition): ServerTool | undefined {
  return SERVER_TOOLS.get(definition)
}

function effectOf(tool: ServerTool): ToolEffect {
  if (tool.readOnly) return 'read'
  return tool.idempotent ? 'idempotent' : 'once'
}

/**
 * Returns the configured capabilities plus those from the annotations. An open-world tool reads untrusted
 * content and can send data out.
 */
function capabilitiesOf(
  { readOnly, destructive, openWorld }: ServerTool,
  { capabilities = [] }: McpServerConfig,
): Pick<ToolDefinition, 'capabilities'> {
  const all = new Set<ToolCapability>(capabilities)
  if (openWorld === true) all.add('reads_untrusted').add('egress')
  if (openWorld === false && readOnly) all.add('reads_private')
  if (destructive) all.add('destructive')
  return all.size === 0 ? {} : { capabilities: [...all] }
}

/**
 * Returns true if the tool is marked destructive, or if the configuration requires approval for the server or
 * this tool.
 */
function needsApproval(tool: ServerTool, { requiresApproval = false }: McpServerConfig): boolean {
  if (tool.destructive || requiresApproval === true) return true
  if (requiresApproval === false) return false
  return requiresApproval.some((entry) => namePattern(entry)(tool.name))
}

/**
 * The tools of one server across successive lists. An unchanged tool remains the same object, so that its
 * validator is compiled once.
 */
export interface ToolCatalogue {
  /**
   * Returns the definitions for a new list, and the changes since the previous list; `changes` is `undefined`
   * if there are none or the list is the first.
   */
  update(listed: readonly ServerTool[]): {
    readonly tools: readonly ToolDefinition[]
    readonly changes?: string
  }
}

interface ToolCatalogueEntry {
  readonly fingerprint: string
  readonly definition: ToolDefinition
}

export function createToolCatalogue(options: {
  readonly server: string
  readonly config: McpServerConfig
  readonly call: CallServerTool
}): ToolCatalogue {
  let known: ReadonlyMap<string, ToolCatalogueEntry> | undefined
  return {
    update(listed) {
      const before = known
      const now = new Map(listed.map((tool) => [tool.name, entryFor(tool, before?.get(tool.name))]))
      known = now
      const tools = Object.freeze([...now.values()].map((entry) => entry.definition))
      const changes = before === undefined ? undefined : changesBetween(before, now)
      return changes === undefined ? { tools } : { tools, changes }
    },
  }

  function entryFor(tool: ServerTool, before: ToolCatalogueEntry | undefined): ToolCatalogueEntry {
    if (before?.fingerprint === tool.fingerprint) return before
    return { fingerprint: tool.fingerprint, definition: toToolDefinition(tool, options) }
  }
}

function changesBetween(
  before: ReadonlyMap<string, ToolCatalogueEntry>,
  now: ReadonlyMap<string, ToolCatalogueEntry>,
): string | undefined {
  const added = [...now.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !now.has(name))
  const changed = [...now].filter(([name, entry]) => before.has(name) && before.get(name) !== entry)
  const parts = [
    ...namesAfter('added', added),
    ...namesAfter(
      'changed',
      changed.map(([name]) => name),
    ),
    ...namesAfter('removed', removed),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

function namesAfter(word: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${word} ${names.join(', ')}`]
}

/**
 * The selected tools in their order, and the filter entries that match no tool: `server:entry` for an entry
 * of a server, else as written.
 */
export interface FilteredTools {
  readonly tools: readonly ToolDefinition[]
  readonly unmatched: readonly string[]
}

/**
 * Applies the `tools` filter of a card. `servers` holds names and globs of a server's own tool names; servers
 * not listed keep all tools, an empty list selects none. `allow` holds canonical names and globs for all
 * tools. Globs match whole names.
 */
export function filterTools(tools: readonly ToolDefinition[], filter: ToolFilter): FilteredTools {
  const unmatched: string[] = []
  const byServer = new Map(
    Object.entries(filter.servers ?? {}).map(([server, entries]) => {
      const own = tools.filter((tool) => isToolOf(tool, server)).map(ownName)
      unmatched.push(...unused(entries, own).map((entry) => `${server}:${entry}`))
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

function unused(entries: readonly string[], names: readonly string[]): readonly string[] {
  return entries.filter((entry) => !names.some(namePattern(entry)))
}

/** Returns a predicate for a filter entry: an exact name, or a glob over the whole name. */
function namePattern(entry: string): (name: string) => boolean {
  const matches = picomatch(entry, { dot: true, bash: true, noextglob: true, nonegate: true })
  return (name) => name === entry || matches(name)
}
