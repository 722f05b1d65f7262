import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { Json, JsonObject, MaybePromise } from '@troupe/schema'

/** A tool of an MCP server for tests. */
export interface McpTestTool {
  /** The description of the tool. */
  readonly description?: string
  /** JSON Schema of the arguments, which the server checks. Default: any arguments. */
  readonly inputSchema?: JsonObject
  /** Returns the result: text, or any JSON value. If it throws, the call fails with the message. */
  call(args: JsonObject): MaybePromise<Json>
}

/** A call that a server for tests received. */
export interface McpTestCall {
  /** The name of the tool. */
  readonly tool: string
  /** The arguments of the call. */
  readonly args: JsonObject
}

/** A running MCP server for tests. */
export interface McpTestServer {
  /** Address on 127.0.0.1, for `mcpServers` of `troupe.json`. */
  readonly url: string
  /** All calls with valid arguments so far, in order. */
  readonly calls: readonly McpTestCall[]
  /** Closes all connections and the server. */
  close(): Promise<void>
}

/** Starts an MCP server with these tools over Streamable HTTP, on 127.0.0.1 and a free port. */
export async function startMcpServer(options: {
  /** Tools by name. */
  readonly tools: Readonly<Record<string, McpTestTool>>
}): Promise<McpTestServer> {
  const calls: McpTestCall[] = []
  const handler = createMcpHandler(() => createToolServer(options.tools, calls))
  const handle = toNodeHandler(handler)
  const server = createServer(
    (request, response) => void handle(request as NodeIncomingMessageLike, response),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    close: async () => {
      await handler.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

const ANY_ARGUMENTS: JsonObject = { type: 'object' }

function createToolServer(tools: Readonly<Record<string, McpTestTool>>, calls: McpTestCall[]): McpServer {
  const server = new McpServer({ name: 'testkit', version: '1.0.0' })
  for (const [name, tool] of Object.entries(tools)) {
    const inputSchema = fromJsonSchema<JsonObject>(tool.inputSchema ?? ANY_ARGUMENTS)
    server.registerTool(name, { description: tool.description ?? name, inputSchema }, async (args) => {
      calls.push({ tool: name, args })
      const result = await tool.call(args)
      const text = typeof result === 'string' ? result : JSON.stringify(result)
      return { content: [{ type: 'text', text }] }
    })
  }
  return server
}
