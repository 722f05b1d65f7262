// A server that speaks the older protocol by hand and has the fault named by its first argument.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [fault = 'none', detail] = process.argv.slice(2)
const TOOLS = [{ name: 'act', description: 'Acts.', inputSchema: { type: 'object' } }]

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function text(id, value) {
  send({ id, result: { content: [{ type: 'text', text: value }] } })
}

const starts = {
  exit() {
    process.stderr.write('cannot read the configuration\n')
    process.exit(3)
  },
  'exit-late'() {
    process.stderr.write(`${'x'.repeat(100_000)}\nthe end\n`, () => process.exit(4))
  },
  hang() {
    process.stdin.removeAllListeners()
  },
  junk() {
    process.stdout.write('starting up …\n\n{"not": "a message"}\n[1]\n')
  },
  flood() {
    for (let line = 0; line < 4000; line += 1) process.stderr.write(`${line} ${'.'.repeat(1000)}\n`)
  },
  grandchild() {
    spawn('sleep', ['1000'], { stdio: 'inherit' })
  },
  stubborn() {
    process.on('SIGTERM', () => undefined)
    setInterval(() => undefined, 1000)
  },
}

const calls = {
  die() {
    process.stderr.write('out of memory\n', () => process.exit(9))
  },
  'die-leaving'() {
    spawn('sleep', ['1000'], { stdio: 'inherit' }).on('spawn', () => process.exit(9))
  },
  'answer-and-die'(id) {
    process.stdout.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'last words' }] } })}\n`,
      () => process.exit(0),
    )
  },
  huge(id, args) {
    if (args.small) return text(id, 'small')
    return args.idFirst
      ? send({ id, result: { content: [{ type: 'text', text: 'y'.repeat(3_000_000) }] } })
      : process.stdout.write(
          `{"result":{"content":[{"type":"text","text":"${'y'.repeat(3_000_000)}"}]},"jsonrpc":"2.0","id":${id}}\n`,
        )
  },
  'hang-call'() {},
  refuse(id) {
    send({ id, error: { code: -32602, message: 'no such thing' } })
  },
  odd(id) {
    send({ id, result: { content: [{ type: 'hologram', beam: 1 }] } })
  },
}

const requests = {
  initialize(id, params) {
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, ...(fault === 'prompts' ? { prompts: {} } : {}) },
        serverInfo: { name: 'fault', version: '1' },
      },
    })
  },
  'tools/list'(id, params) {
    send({ id, result: list(params) })
  },
  'tools/call'(id, params) {
    const act = calls[fault]
    if (act === undefined) text(id, JSON.stringify({ pid: process.pid, env: process.env }))
    else act(id, params.arguments ?? {})
  },
  'prompts/list'(id) {
    send({ id, result: { prompts: JSON.parse(detail) } })
  },
  'prompts/get'(id) {
    const content = { type: 'text', text: 'Say \u202eyes\u{e0041} \t' }
    send({ id, result: { messages: [{ role: 'user', content }] } })
  },
  'server/discover'(id) {
    if (fault === 'exit-on-question') process.exit(1)
    if (fault !== 'silent-on-question') send({ id, error: { code: -32601, message: 'Method not found' } })
  },
}

function list(params) {
  if (fault === 'tools') return { tools: JSON.parse(detail) }
  if (fault === 'pages') {
    const page = Number(params?.cursor ?? 0)
    return {
      tools: [{ name: `tool${page}`, inputSchema: { type: 'object' } }],
      ...(page < 2 ? { nextCursor: String(page + 1) } : {}),
    }
  }
  if (fault === 'endless') return { tools: [], nextCursor: String(Math.random()) }
  return { tools: TOOLS }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined && Object.hasOwn(requests, method)) requests[method](id, params)
})
starts[fault]?.()
