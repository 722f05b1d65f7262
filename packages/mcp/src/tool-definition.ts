import {
  mcpToolName,
  toWireName,
  type JsonObject,
  type McpServerConfig,
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
  return Object.freeze({
    name,
    wireName: toWireName(name),
    source: 'mcp',
    server,
    description: tool.description,
    inputSchema: tool.inputSchema,
    effect: effectOf(tool),
    ...(needsApproval(tool, config) ? { requiresApproval: true } : {}),
    ...(config.toolTimeout === undefined ? {} : { timeoutMs: config.toolTimeout }),
    execute: (args: JsonObject, ctx: ToolContext) => call(tool, args, ctx),
  } satisfies ToolDefinition)
}

function effectOf(tool: ServerTool): ToolEffect {
  if (tool.readOnly) return 'read'
  return tool.idempotent ? 'idempotent' : 'once'
}

/** Destructive by its own word, or by that of the configuration: for the whole server, or by the server's own tool names (R16). */
function needsApproval(tool: ServerTool, { requiresApproval = false }: McpServerConfig): boolean {
  if (tool.destructive || requiresApproval === true) return true
  if (requiresApproval === false) return false
  return requiresApproval.some((entry) => namePattern(entry)(tool.name))
}
