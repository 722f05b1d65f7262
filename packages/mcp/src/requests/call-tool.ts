import type {
  Client,
  Progress,
  RequestOptions,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/client'
import {
  coerceToolResult,
  toolResult,
  type Json,
  type JsonObject,
  type ToolContext,
  type ToolResult,
} from '@troupe/schema'
import { callFailure } from './call-failure.ts'
import { cancellationOf, sendableSignal } from '../abort/abort-signals.ts'
import type { ServerTool } from '../tools/server-tool.ts'

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
    `The tool "${tool.name}" of the MCP server "${server}" returned a result in an unknown format.`,
  )
}

/** Runs a resource tool. Returns a value in the form of a tool result. Rejects with the SDK's error. */
function useResource(
  client: Client,
  call: { readonly resource: 'list' | 'read'; readonly args: JsonObject },
  options: RequestOptions,
): Promise<unknown> {
  return call.resource === 'read' ? read(client, call.args, options) : list(client, call.args, options)
}

async function read(client: Client, { uri }: JsonObject, options: RequestOptions): Promise<unknown> {
  const { contents } = await client.readResource({ uri: uri as string }, options)
  return { content: contents.map((resource) => ({ type: 'resource', resource })) }
}

/** Lists one page of resources. The first page includes the resource templates. */
async function list(client: Client, { cursor }: JsonObject, options: RequestOptions): Promise<unknown> {
  const page = await client.listResources(typeof cursor === 'string' ? { cursor } : {}, options)
  const { resourceTemplates } =
    cursor === undefined ? await client.listResourceTemplates({}, options) : { resourceTemplates: [] }
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
