// A small MCP server over standard input and output, by hand: `node stdio-server.mjs [extra tool names…]`.
import { createInterface } from 'node:readline'

const text = { type: 'object', properties: { text: { type: 'string' } } }
const tools = [
  {
    name: 'echo',
    description: 'Says what it was told.',
    inputSchema: text,
    annotations: { readOnlyHint: true },
  },
  { name: 'variable', description: 'Its own environment.', inputSchema: text },
  { name: 'wipe', description: 'Destroys.', inputSchema: text, annotations: { destructiveHint: true } },
  ...process.argv.slice(2).map((name) => ({ name, description: name, inputSchema: text })),
]

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function say(id, value) {
  send({ id, result: { content: [{ type: 'text', text: value }] } })
}

const answers = {
  initialize: ({ id, params }) =>
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'stdio-server', version: '1.0.0' },
      },
    }),
  ping: ({ id }) => send({ id, result: {} }),
  'tools/list': ({ id }) => send({ id, result: { tools } }),
  'tools/call': ({ id, params }) => {
    const given = params.arguments?.text ?? ''
    if (params.name === 'variable') return say(id, `${given}=${process.env[given] ?? '(none)'}`)
    return say(id, `${params.name}: ${given} (process ${process.pid})`)
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  const answer = Object.hasOwn(answers, message.method) ? answers[message.method] : undefined
  if (answer !== undefined) answer(message)
  else if (message.id !== undefined)
    send({ id: message.id, error: { code: -32601, message: `no method ${message.method}` } })
})
