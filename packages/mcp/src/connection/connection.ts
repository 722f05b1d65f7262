import type { JsonObject, ToolContext, ToolResult } from '@troupe/schema'
import type { PromptRequest } from '../requests/prompts.ts'
import type { FilledPrompt, ServerPrompt } from '../tools/server-prompt.ts'
import type { ServerTool } from '../tools/server-tool.ts'

/** Result of a call on a connection. */
export interface ConnectionCallResult {
  readonly result: ToolResult
  /**
   * True if the server did not run the call because its session had expired. The call may be repeated on a
   * new connection.
   */
  readonly wasNotExecuted: boolean
}

/** An open connection to one server. */
export interface McpConnection {
  /** True if the connection can no longer be used. */
  readonly isClosed: boolean
  /** Protocol generation: `modern` is 2026-07-28, `legacy` an older revision. */
  readonly era: 'modern' | 'legacy'
  /**
   * Returns the current list of tools (all pages). Rejects with `mcp_start_failed` if the server does not
   * return it.
   */
  listTools(): Promise<readonly ServerTool[]>
  /** Never rejects; errors become failed results. */
  callTool(tool: ServerTool, args: JsonObject, ctx: ToolContext): Promise<ConnectionCallResult>
  /** Returns all prompts (all pages). Rejects with the failure, or with the reason of the signal. */
  listPrompts(signal: AbortSignal): Promise<readonly ServerPrompt[]>
  /** Returns a rendered prompt. Rejects like `listPrompts`. */
  getPrompt(request: PromptRequest, signal: AbortSignal): Promise<FilledPrompt>
  /** Closes the connection and ends the server process, if there is one. Never rejects. */
  close(): Promise<void>
}

/** Callbacks of a connection. They must not throw. */
export interface ConnectionListener {
  warn(text: string): void
  /** Called when the list of tools may have changed. */
  listChanged(): void
}
