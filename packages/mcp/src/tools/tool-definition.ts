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
} from '@troupe/schema'
import { namePattern } from './filter-tools.ts'
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
