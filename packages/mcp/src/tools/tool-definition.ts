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
