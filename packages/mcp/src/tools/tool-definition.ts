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
import { namePattern } from './name-pattern.ts'
import type { ServerTool } from './server-tool.ts'

/** Calls a tool of a server. Never rejects. */
export type CallServerTool = (tool: ServerTool, args: JsonObject, ctx: ToolContext) => Promise<ToolResult>

/** A server's tool in the form of every tool (C35, B40). */
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
  DESCRIBED.set(definition, tool)
  return definition
}

const DESCRIBED = new WeakMap<ToolDefinition, ServerTool>()

/** What the server said of a tool that was made here; undefined for a copy and for tools of other sources. */
export function describedBy(definition: ToolDefinition): ServerTool | undefined {
  return DESCRIBED.get(definition)
}

function effectOf(tool: ServerTool): ToolEffect {
  if (tool.readOnly) return 'read'
  return tool.idempotent ? 'idempotent' : 'once'
}

/** Those of the configuration, and what the annotations say: an open world is one to read strangers' text from and to send to. */
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

/** Destructive by its own word, or by that of the configuration: for the whole server, or by the server's own tool names (R16). */
function needsApproval(tool: ServerTool, { requiresApproval = false }: McpServerConfig): boolean {
  if (tool.destructive || requiresApproval === true) return true
  if (requiresApproval === false) return false
  return requiresApproval.some((entry) => namePattern(entry)(tool.name))
}
