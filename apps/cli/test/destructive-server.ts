/** An MCP server with one tool that is annotated as destructive and writes down each call. */
export const DESTRUCTIVE_SERVER = `
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const wipe = {
  name: 'wipe',
  description: 'Wipes a folder.',
  inputSchema: { type: 'object', properties: { folder: { type: 'string' } } },
  annotations: { destructiveHint: true },
}
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'disk', version: '1.0.0' } }),
  'tools/list': () => ({ tools: [wipe] }),
  'tools/call': ({ arguments: { folder } }) => {
    appendFileSync(new URL('wiped.txt', import.meta.url), folder + '\\n')
    return { content: [{ type: 'text', text: 'wiped ' + folder }] }
  },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = answers[method]?.(params)
  const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
`
