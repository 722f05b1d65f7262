import type { Client, Progress, RequestOptions } from '@modelcontextprotocol/client'
import {
  coerceToolResult,
  toolResult,
  type JsonObject,
  type StopSource,
  type ToolContext,
  type ToolResult,
} from '@troupe/schema'
import { callFailure } from './call-failure.ts'
import { useResource } from '../resources/use-resource.ts'
import type { ServerTool } from '../tools/server-tool.ts'
import { sendableSignal } from '../connection/sendable-signal.ts'

/** The longest time that a timer takes: deadlines are core's (decision 5). */
export const NO_TIMEOUT: number = 2 ** 31 - 1

/** One call: whom it goes to and what is known when it fails. */
export interface ToolCall {
  readonly client: Client
  readonly server: string
  readonly tool: ServerTool
  readonly args: JsonObject
  readonly ctx: ToolContext
  readonly stop: StopSource
  /** How the server ended, such as `it exited with code 1`; for messages. */
  ending(): string | undefined
}

/** The result of a call, and what the SDK threw for want of one. */
export interface CallOutcome {
  readonly result: ToolResult
  readonly thrown?: unknown
}

/** Calls a tool and waits as long as the caller does. Never rejects. */
export async function callTool(call: ToolCall): Promise<CallOutcome> {
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
    return { result: toolResult.failed(callFailure(thrown, { ...call, stopped: call.stop.reason })), thrown }
  } finally {
    sendable.release()
  }
}

function request({ client, tool, args }: ToolCall, options: RequestOptions): Promise<unknown> {
  const { name, inputSchema, resource } = tool
  if (resource !== undefined) return useResource(client, { resource, args }, options)
  // without an output schema: the SDK would compile it, with patterns of the server's making
  const toolDefinition = { name, inputSchema: inputSchema as { readonly type: 'object' } }
  return client.callTool({ name, arguments: args }, { ...options, toolDefinition })
}

/** How far a call is, in words. */
export function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`
  return message === undefined ? count : `${message} (${count})`
}

function unknownForm({ server, tool }: ToolCall): ToolResult {
  return toolResult.error(
    'mcp_failed',
    `The tool "${tool.name}" of the MCP server "${server}" gave a result of an unknown form.`,
  )
}
