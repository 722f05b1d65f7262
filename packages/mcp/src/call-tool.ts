import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Client,
  type Progress,
  type RequestOptions,
} from '@modelcontextprotocol/client'
import {
  coerceToolResult,
  errorMessage,
  failure,
  toolResult,
  TroupeError,
  type Failure,
  type JsonObject,
  type ToolContext,
  type ToolResult,
} from '@troupe/schema'
import { loginFailure } from './auth/login-failure.ts'
import { lossCode } from './lost-answer.ts'
import { useResource } from './resources/use-resource.ts'
import type { ServerTool } from './server-tool.ts'
import { isFailure } from './until-aborted.ts'

/** The longest time that a timer takes: deadlines are core's (decision 5). */
export const NO_TIMEOUT: number = 2 ** 31 - 1

/** One call: whom it goes to and what is known when it fails. */
export interface ToolCall {
  readonly client: Client
  readonly server: string
  readonly tool: ServerTool
  readonly args: JsonObject
  readonly ctx: ToolContext
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
  const stop = new AbortController()
  const onAbort = (): void => stop.abort('the call was stopped')
  const { signal } = ctx
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    const result = await request(call, {
      signal: stop.signal,
      timeout: NO_TIMEOUT,
      onprogress: (progress) => ctx.progress(progressText(progress)),
    })
    return { result: coerceToolResult(result) ?? unknownForm(call) }
  } catch (thrown) {
    return { result: toolResult.failed(callFailure(thrown, call)), thrown }
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function request({ client, tool, args }: ToolCall, options: RequestOptions): Promise<unknown> {
  const { name, inputSchema, resource } = tool
  if (resource !== undefined) return useResource(client, { resource, args }, options)
  // without an output schema: the SDK would compile it, with patterns of the server's making
  const toolDefinition = { name, inputSchema: inputSchema as { readonly type: 'object' } }
  return client.callTool({ name, arguments: args }, { ...options, toolDefinition })
}

function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`
  return message === undefined ? count : `${message} (${count})`
}

function unknownForm({ server, tool }: ToolCall): ToolResult {
  return toolResult.error(
    'mcp_failed',
    `The tool "${tool.name}" of the MCP server "${server}" gave a result of an unknown form.`,
  )
}

function callFailure(thrown: unknown, call: ToolCall): Failure {
  if (call.ctx.signal.aborted) return stopFailure(call.ctx.signal.reason)
  if (TroupeError.isInstance(thrown)) return thrown.failure
  const login = loginFailure(thrown, call.server)
  if (login !== undefined) return login.failure
  if (ProtocolError.isInstance(thrown)) return protocolFailure(thrown, call)
  if (isNetworkError(thrown)) return closed(call, causeMessage(thrown))
  if (isClosed(thrown)) return lost(call)
  return failure('mcp_failed', `The MCP server "${call.server}" failed: ${sdkMessage(thrown)}`)
}

function protocolFailure(thrown: ProtocolError, { server }: ToolCall): Failure {
  const loss = lossCode(thrown.data)
  if (loss !== undefined) return failure(loss, `The MCP server "${server}": ${thrown.message}`)
  return failure('mcp_failed', `The MCP server "${server}" answered: ${thrown.message} (${thrown.code})`)
}

/** Core stops a call with a failure as reason; the result then says the same. */
function stopFailure(reason: unknown): Failure {
  if (TroupeError.isInstance(reason)) return reason.failure
  if (isFailure(reason)) return reason
  return failure('run_cancelled', 'The call was stopped.')
}

function lost(call: ToolCall): Failure {
  const ending = call.ending()
  if (ending === undefined) return closed(call, undefined)
  return failure('mcp_crashed', `The MCP server "${call.server}" went away during the call: ${ending}.`)
}

function closed({ server }: ToolCall, why: string | undefined): Failure {
  const reason = why === undefined ? '' : `: ${why}`
  return failure('mcp_closed', `The connection to the MCP server "${server}" ended during the call${reason}.`)
}

function isClosed(thrown: unknown): boolean {
  if (!SdkError.isInstance(thrown)) return false
  const { code } = thrown
  return (
    code === SdkErrorCode.ConnectionClosed ||
    code === SdkErrorCode.NotConnected ||
    code === SdkErrorCode.SendFailed
  )
}

/** True for what fetch throws when a server cannot be reached or breaks the connection. */
export function isNetworkError(thrown: unknown): boolean {
  return thrown instanceof TypeError && thrown.cause instanceof Error
}

/** What lies behind `fetch failed`. */
export function causeMessage(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
  return errorMessage(cause)
}

/** What the SDK says, without the pages that some servers answer with. */
export function sdkMessage(thrown: unknown): string {
  if (SdkHttpError.isInstance(thrown)) return `HTTP ${thrown.status}${httpHint(thrown.status)}`
  const [line = ''] = errorMessage(thrown).split('\n')
  return line.length > 500 ? `${line.slice(0, 500)}…` : line
}

function httpHint(status: number): string {
  if (status >= 300 && status < 400) return ' (it sends on to another address, which is not followed)'
  if (status === 401 || status === 403) return ' (it does not accept the `headers` it was sent)'
  return ''
}
