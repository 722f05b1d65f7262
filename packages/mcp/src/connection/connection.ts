import type { JsonObject, StopSource, ToolContext, ToolResult } from '@troupe/schema'
import type { PromptRequest } from '../prompts/get-prompt.ts'
import type { FilledPrompt, ServerPrompt } from '../prompts/server-prompt.ts'
import type { ServerTool } from '../tools/server-tool.ts'

/** What came of a call. */
export interface CallAnswer {
  readonly result: ToolResult
  /** The server did not run it, because its session had expired: it may be made again on a new connection. */
  readonly unseen: boolean
}

/** Who calls, and what stops it. */
export interface StoppableCall {
  readonly ctx: ToolContext
  readonly stop: StopSource
}

/** One live conversation with one server. */
export interface Connection {
  /** True once nothing more can be asked of it. */
  readonly gone: boolean
  /** What the server speaks: the protocol of 2026-07-28, or one before it. */
  readonly era: 'modern' | 'legacy'
  /** The list as it is now, all pages. Rejects with `mcp_start_failed` when the server does not give it. */
  listTools(): Promise<readonly ServerTool[]>
  /** Never rejects: what goes wrong is a failed result. */
  callTool(tool: ServerTool, args: JsonObject, call: StoppableCall): Promise<CallAnswer>
  /** All of them, all pages. Rejects with what went wrong, or the reason of the signal. */
  listPrompts(signal: AbortSignal): Promise<readonly ServerPrompt[]>
  /** One of them, filled in. Rejects as `listPrompts` does. */
  getPrompt(request: PromptRequest, signal: AbortSignal): Promise<FilledPrompt>
  /** Ends the server, where it is ours. Never rejects. */
  close(): Promise<void>
}

/** What the user of a connection is told. Must not throw. */
export interface ConnectionListener {
  warn(text: string): void
  /** The list of tools may have changed. */
  listChanged(): void
}
