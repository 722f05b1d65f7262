/** An MCP server with one tool that never answers and that ignores every request to end. It writes its process id to `pid-<pid>`. */
export const STUBBORN_SERVER = `
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
writeFileSync('pid-' + process.pid, '')
process.on('SIGTERM', () => {})
setInterval(() => {}, 1000)
const tools = [{ name: 'wait', inputSchema: { type: 'object' } }]
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'stubborn', version: '1.0.0' } }),
  'tools/list': () => ({ tools }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined || method === 'tools/call') return
  const answer = Object.hasOwn(answers, method) ? { result: answers[method](params) } : { error: { code: -32601, message: 'unknown' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
})
`
