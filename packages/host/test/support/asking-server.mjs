// A small MCP server over standard input and output, by hand. Its only tool asks the client for folders and a model call.
import { createInterface } from 'node:readline'

let capabilities = {}
let count = 0
const waiting = new Map()

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

/** Resolves with the result or the error of a request to the client. */
function ask(method, params = {}) {
  count += 1
  const id = `ask-${count}`
  send({ id, method, params })
  return new Promise((resolve) => waiting.set(id, resolve))
}

const answers = {
  initialize: async ({ params }) => {
    capabilities = params.capabilities
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'asking-server', version: '1.0.0' },
    }
  },
  'tools/list': async () => ({
    tools: [
      {
        name: 'ask',
        description: 'Asks.',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
    ],
  }),
  'tools/call': async () => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Which color?' } }]
    const roots = await ask('roots/list')
    const sample = await ask('sampling/createMessage', { messages, maxTokens: 20 })
    const text = JSON.stringify({ offered: Object.keys(capabilities), roots, sample })
    return { content: [{ type: 'text', text }] }
  },
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === undefined) waiting.get(id)?.(result ?? { error: error.message })
  else if (Object.hasOwn(answers, method)) send({ id, result: await answers[method]({ params }) })
  else if (id !== undefined) send({ id, error: { code: -32601, message: `no method ${method}` } })
})
