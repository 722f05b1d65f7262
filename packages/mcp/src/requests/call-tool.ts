import {
  type Client,
  type Progress,
  type RequestOptions,
  type Resource,
  type ResourceTemplateType,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import {
  coerceToolResult,
  toolResult,
  type Json,
  type JsonObject,
  type ToolContext,
  type ToolResult,
  errorMessage,
  failure,
  TroupeError,
  type Failure,
} from '@troupe/schema'
import { cancellationOf, sendableSignal } from '../abort/abort-signals.ts'
import type { ServerTool } from '../tools/server-tool.ts'
import { loginFailure } from '../auth/login-failure.ts'
import { loginRequiredError } from '../auth/login-session.ts'
import { lossCode } from '../messages/loss-response.ts'

/** Longest delay a timer supports, in ms. The core enforces deadlines. */
export const NO_TIMEOUT: number = 2 ** 31 - 1

/** One call of a server's tool. */
interface ServerToolCall {
  readonly client: Client
  readonly server: string
  readonly tool: ServerTool
  readonly args: JsonObject
  readonly ctx: ToolContext
  /** Returns how the server ended, for messages; for example `it exited with code 1`. */
  ending(): string | undefined
}

/** Result of a call, and the error that the SDK threw, if any. */
interface CallOutcome {
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

function request({ client, tool, args, ctx }: ServerToolCall, options: RequestOptions): Promise<unknown> {
  const { name, inputSchema, resource } = tool
  const { traceContext } = ctx
  const meta = traceContext === undefined ? {} : { _meta: { ...traceContext } }
  if (resource !== undefined) return useResource(client, { resource, args, meta }, options)
  // pass no output schema: the SDK would compile it, with regular expressions from the server
  const toolDefinition = { name, inputSchema: inputSchema as { readonly type: 'object' } }
  return client.callTool({ name, arguments: args, ...meta }, { ...options, toolDefinition })
}

/** Metadata of a request: the trace context of the call. */
interface RequestMeta {
  readonly _meta?: { [key: string]: unknown }
}

function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`
  return message === undefined ? count : `${message} (${count})`
}

function unknownForm({ server, tool }: ServerToolCall): ToolResult {
  return toolResult.error(
    'mcp_failed',
    `The tool "${tool.name}" of the MCP server "${server}" returned a result in an unknown format.`,
  )
}

/** Runs a resource tool. Returns a value in the form of a tool result. Rejects with the SDK's error. */
function useResource(
  client: Client,
  { resource, ...call }: ResourceCall & { readonly resource: 'list' | 'read' },
  options: RequestOptions,
): Promise<unknown> {
  return resource === 'read' ? read(client, call, options) : list(client, call, options)
}

interface ResourceCall {
  readonly args: JsonObject
  readonly meta: RequestMeta
}

async function read(
  client: Client,
  { args: { uri }, meta }: ResourceCall,
  options: RequestOptions,
): Promise<unknown> {
  const { contents } = await client.readResource({ uri: uri as string, ...meta }, options)
  return { content: contents.map((resource) => ({ type: 'resource', resource })) }
}

/** Lists one page of resources. The first page includes the resource templates. */
async function list(
  client: Client,
  { args: { cursor }, meta }: ResourceCall,
  options: RequestOptions,
): Promise<unknown> {
  const page = await client.listResources(
    { ...(typeof cursor === 'string' ? { cursor } : {}), ...meta },
    options,
  )
  const { resourceTemplates } =
    cursor === undefined
      ? await client.listResourceTemplates({ ...meta }, options)
      : { resourceTemplates: [] }
  const listed = {
    resources: page.resources.map((resource) => ({ uri: resource.uri, ...described(resource) })),
    templates: resourceTemplates.map((template) => ({ uri: template.uriTemplate, ...described(template) })),
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
  }
  return { content: [{ type: 'text', text: JSON.stringify(listed) }], structuredContent: listed }
}

function described(entry: Resource | ResourceTemplateType): Readonly<Record<string, Json>> {
  const { name, title, description, mimeType } = entry
  const said = { name, title, description, mimeType }
  return Object.fromEntries(
    Object.entries(said).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}

/** Context of a failed request to a server. */
interface FailedCall {
  readonly server: string
  /** Failure that the call was cancelled with; `undefined` if it was not cancelled. */
  readonly stopped: Failure | undefined
  /** Returns how the server ended, for messages; for example `it exited with code 1`. */
  ending(): string | undefined
}

/** Returns the failure of a call. For a cancelled call this is the failure it was cancelled with. */
export function callFailure(thrown: unknown, call: FailedCall): Failure {
  if (call.stopped !== undefined) return call.stopped
  if (TroupeError.isInstance(thrown)) return thrown.failure
  const login = loginFailure(thrown, call.server)
  if (login !== undefined) return login.failure
  if (SdkHttpError.isInstance(thrown) && thrown.status === 401)
    return loginRequiredError(call.server, 'refused').failure
  if (ProtocolError.isInstance(thrown)) return protocolFailure(thrown, call)
  if (isNetworkError(thrown)) return closed(call, causeMessage(thrown))
  if (isClosed(thrown)) return lost(call)
  return failure('mcp_failed', `The MCP server "${call.server}" failed: ${sdkMessage(thrown)}`)
}

function protocolFailure(thrown: ProtocolError, { server }: FailedCall): Failure {
  const loss = lossCode(thrown.data)
  if (loss !== undefined) return failure(loss, `The MCP server "${server}": ${thrown.message}`)
  return failure(
    'mcp_failed',
    `The MCP server "${server}" returned an error: ${thrown.message} (${thrown.code})`,
  )
}

function lost(call: FailedCall): Failure {
  const ending = call.ending()
  if (ending === undefined) return closed(call, undefined)
  return failure('mcp_crashed', `The MCP server "${call.server}" stopped during the call: ${ending}.`)
}

function closed({ server }: FailedCall, why: string | undefined): Failure {
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

/** Returns true if `fetch` threw because the server is unreachable or closed the connection. */
export function isNetworkError(thrown: unknown): boolean {
  return thrown instanceof TypeError && thrown.cause instanceof Error
}

/** Returns the message of the cause, because `fetch failed` alone says nothing. */
export function causeMessage(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
  return errorMessage(cause)
}

/** Returns the SDK's message in short form, without the HTML page that some servers respond with. */
export function sdkMessage(thrown: unknown): string {
  if (SdkHttpError.isInstance(thrown)) return `HTTP ${thrown.status}${httpHint(thrown.status)}`
  const [line = ''] = errorMessage(thrown).split('\n')
  return line.length > 500 ? `${line.slice(0, 500)}…` : line
}

function httpHint(status: number): string {
  if (status >= 300 && status < 400) return ' (redirects to another address are not followed)'
  if (status === 401 || status === 403) return ' (it rejected the `headers`)'
  return ''
}
