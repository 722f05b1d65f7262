// An MCP server over stdio that plays one case of `mcp-cases.ts`, named by its argument.
import { createInterface } from 'node:readline'
import { HOSTILE_MCP_CASES } from './mcp-cases.ts'

interface Request {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly _meta?: { readonly progressToken?: number | string } }
}

const played = HOSTILE_MCP_CASES.find(({ name }) => name === process.argv[2])
const INITIALIZED = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'hostile', version: '1.0.0' },
}
const ACT = '{"tools":[{"name":"act","description":"Acts.","inputSchema":{"type":"object"}}]}'

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Request
  if (id === undefined) return
  if (method === 'tools/call') return answerCall(id, params?.['_meta']?.progressToken)
  if (method === 'initialize') return write(id, JSON.stringify(INITIALIZED))
  if (method === 'tools/list') return write(id, played?.tools?.() ?? ACT)
  print(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"unknown"}}`)
})

function answerCall(id: number | string, token: number | string | undefined): void {
  for (const line of played?.before?.() ?? []) print(line.replace('TOKEN', JSON.stringify(token)))
  if (played?.line === undefined)
    return write(id, played?.result?.() ?? '{"content":[{"type":"text","text":"ok"}]}')
  print(played.line())
  write(id, '{"content":[{"type":"text","text":"ok"}]}')
}

function write(id: number | string, result: string): void {
  print(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
