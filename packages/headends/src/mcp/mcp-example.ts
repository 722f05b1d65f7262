import type { HeadendExample, ExampleOptions } from '../headend.ts'
import { shellQuote } from '../shell-quote.ts'

const VERSION = '2026-07-28'

/** Returns an example that lists the tools with the newest protocol version. */
export function mcpExample({ origin, credentials }: ExampleOptions): readonly HeadendExample[] {
  const url = `${origin}/mcp`
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${VERSION}`,
    'Mcp-Method: tools/list',
  ]
  const flags = headers.map((header) => `-H ${shellQuote(header)}`).join(' ')
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }
  const command = `curl -s ${credentials}${flags} -d ${shellQuote(JSON.stringify(body))} ${shellQuote(url)}`
  return [{ title: 'MCP', url, command }]
}
