import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client'
import { toFailure, troupeError, type McpServerConfig, type ToolDefinition } from '@troupe/schema'
import * as z from 'zod'
import { createServerCalls } from '../pool/server-calls.ts'
import { callTool, sdkMessage } from '../requests/call-tool.ts'
import { listTools } from '../requests/list-entries.ts'
import { toToolDefinition } from '../tools/tool-definition.ts'

/** A connected client of `@modelcontextprotocol/sdk` 1.x. */
export interface SdkClient {
  getServerCapabilities(): object | undefined
  request(
    request: { readonly method: string; readonly params: Record<string, unknown> },
    resultSchema: never,
    options?: object,
  ): Promise<unknown>
}

/** Options of {@link listMcpTools}: some keys of a server definition, and the name of the server. */
export interface McpToolsOptions extends Pick<
  McpServerConfig,
  'capabilities' | 'maxParallel' | 'requiresApproval' | 'startTimeout' | 'toolTimeout'
> {
  /** Name of the server in the names of its tools, as in `mcp__server__tool`. */
  readonly server: string
  /** Called with problems of the list of tools and of results. */
  readonly warn?: (text: string) => void
}

const START_TIMEOUT_MS = 30_000
const CALLS_AT_ONCE = 100

/**
 * Lists the tools of the server that a client is connected to, for `functionTools`. They are called over this client,
 * which the caller closes. Changes of the list are not followed. Rejects with `mcp_start_failed`.
 */
export async function listMcpTools(
  sdkClient: SdkClient,
  { server, warn = () => undefined, ...config }: McpToolsOptions,
): Promise<ToolDefinition[]> {
  const client = toClient(sdkClient)
  const call = createServerCalls({
    server,
    maxParallel: config.maxParallel ?? CALLS_AT_ONCE,
    connect: () =>
      Promise.resolve({
        callTool: async (tool, args, ctx) => {
          const { result } = await callTool({ client, server, tool, args, ctx, ending: () => undefined })
          return { result, wasNotExecuted: false }
        },
        // the caller owns the connection
        close: () => Promise.resolve(),
      }),
    warn,
  })
  const signal = AbortSignal.timeout(config.startTimeout ?? START_TIMEOUT_MS)
  try {
    const listed = await listTools(client, {
      signal,
      warn: (remark) => warn(`The MCP server "${server}": ${remark}.`),
    })
    return listed.map((tool) => toToolDefinition(tool, { server, config, call }))
  } catch (thrown) {
    const why = signal.aborted ? toFailure(signal.reason).message : sdkMessage(thrown)
    throw troupeError('mcp_start_failed', `The MCP server "${server}" did not list its tools: ${why}.`, {
      cause: thrown,
    })
  }
}

/** Accepts any result, so that the SDK compiles no schemas from the server. The result is checked afterwards. */
const ANY_RESULT = z.looseObject({}) as never

/** Returns the methods of a client of version 2 that list and call tools. */
function toClient(client: SdkClient): Client {
  const adapted: Pick<Client, 'getServerCapabilities'> & Record<'request' | 'callTool', unknown> = {
    getServerCapabilities: () => client.getServerCapabilities(),
    async request(
      request: { readonly method: string; readonly params: Record<string, unknown> },
      schema: StandardSchemaV1,
      options: object,
    ) {
      const result = await client.request(request, ANY_RESULT, options)
      const checked = await schema['~standard'].validate(result)
      if (checked.issues === undefined) return checked.value
      throw new TypeError(checked.issues.map(({ message }) => message).join('; '))
    },
    callTool: (params: Record<string, unknown>, options: object) =>
      client.request({ method: 'tools/call', params }, ANY_RESULT, options),
  }
  return adapted as unknown as Client
}
