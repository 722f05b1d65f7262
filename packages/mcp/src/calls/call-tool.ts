import type { Client, Progress, RequestOptions } from '@modelcontextprotocol/client'
import {
  coerceToolResult,
  toolResult,
  type JsonObject,
  type ToolContext,
  type ToolResult,
} from '@troupe/schema'
import { callFailure } from './call-failure.ts'
import { cancellationOf } from '../connection/race-abort.ts'
import { useResource } from '../resources/use-resource.ts'
import type { ServerTool } from '../tools/server-tool.ts'
import { sendableSignal } from '../connection/sendable-signal.ts'

/** Longest delay a timer supports, in ms. The core enforces deadlines. */
export const NO_TIMEOUT: number = 2 ** 31 - 1

/** One call of a server's tool. */
export interface ServerToolCall {
  readonly client: Client
  readonly server: string
  readonly tool: ServerTool
  readonly args: JsonObject
  readonly ctx: ToolContext
  /** Returns how the server ended, for messages; for example `it exited with code 1`. */
  ending(): string | undefined
}

/** Result of a call, and the error that the SDK threw, if any. */
export interface CallOutcome {
  readonly result: ToolResult
  readonly thrown?: unknown
}

/** Calls a tool without a time limit of its own. Never rejects. */
export async function callTool(call: ServerToolCall): Promise<CallOutcome> {
  const { ctx } = call
  const sendable = sendableSignal(ctx.signal)
  try {
    const result = await request(call, {
      signal: sendable.signal,
      timeout: NO_TIMEOUT,
      onprogress: (progress) => ctx.progress(progressText(progress)),
    })
    return { result: coerceToolResult(result) ?? unknownForm(call) }
  } catch (thrown) {
    return {
      result: toolResult.failed(callFailure(thrown, { ...call, stopped: cancellationOf(ctx.signal) })),
      thrown,
    }
  } finally {
    sendable.release()
  }
}

function request({ client, tool, args }: ServerToolCall, options: RequestOptions): Promise<unknown> {
  const { name, inputSchema, resource } = tool
  if (resource !== undefined) return useResource(client, { resource, args }, options)
  // pass no output schema: the SDK would compile it, with regular expressions from the server
  const toolDefinition = { name, inputSchema: inputSchema as { readonly type: 'object' } }
  return client.callTool({ name, arguments: args }, { ...options, toolDefinition })
}

function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`
  return message === undefined ? count : `${message} (${count})`
}

function unknownForm({ server, tool }: ServerToolCall): ToolResult {
  return toolResult.error(
    'mcp_failed',
    `The tool "${tool.name}" of the MCP server "${server}" gave a result of an unknown form.`,
  )
}
