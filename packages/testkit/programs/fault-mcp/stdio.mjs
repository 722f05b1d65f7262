import { createInterface } from 'node:readline'
import { answerMethod, isCall, noteCancelled, resultOf, runTool } from './tools.mjs'

const LONG_LINE = 'x'.repeat(1000)

const STARTS = {
  exit: () => process.stderr.write('cannot read the configuration\n', () => process.exit(3)),
  'exit-late': () => process.stderr.write(`${'x'.repeat(100_000)}\nthe end\n`, () => process.exit(4)),
  killed: () => process.kill(process.pid, 'SIGKILL'),
  hang: () => process.stdin.removeAllListeners(),
  junk,
  flood: () => flood(8000),
}

export function serveStdio(fault) {
  createInterface({ input: process.stdin }).on('line', (line) => take(JSON.parse(line)))
  STARTS[fault]?.()
}

function take({ id, method, params = {} }) {
  if (method === 'notifications/cancelled') noteCancelled()
  if (id === undefined) return
  if (isCall(method)) {
    if (params.name === 'deaf') {
      send({ id, result: resultOf(method, { content: [] }) })
      process.stdin.pause()
    } else if (!runTool(params, doorOf({ id, method, params }))) refuse(id, -32602, `no tool ${params.name}`)
    return
  }
  const result = answerMethod(method, params, ['deaf'])
  if (result === undefined) refuse(id, -32601, 'Method not found')
  else send({ id, result })
}

function doorOf({ id, method, params }) {
  return {
    answer: (result) => send({ id, result: resultOf(method, result) }),
    fail: (code, message) => refuse(id, code, message),
    notify: (method) => send({ method }),
    progress: async (step) => {
      const { _meta: meta } = params
      const progressToken = meta?.progressToken
      send({ method: 'notifications/progress', params: { progressToken, progress: step, total: 2 } })
    },
    flood,
    junk,
  }
}

function refuse(id, code, message) {
  send({ id, error: { code, message } })
}

function flood(lines) {
  for (let line = 0; line < lines; line += 1) process.stderr.write(`${line} ${LONG_LINE}\n`)
}

function junk() {
  process.stdout.write('starting up …\n\n{"not": "a message"}\n[1]\n')
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
