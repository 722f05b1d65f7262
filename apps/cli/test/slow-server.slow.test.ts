import { expect, it } from 'vitest'
import { oneAgent, troupe } from './team.ts'

/** A server that answers its first request after 6 s. */
const SERVER = `
import { createInterface } from 'node:readline'
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
}
const ready = new Promise((resolve) => setTimeout(resolve, 6000))
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  await ready
  const answer = Object.hasOwn(answers, method) ? { result: answers[method](params) } : { error: { code: -32601, message: 'no' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
})
`
const FILES = oneAgent('- say: done', {
  fields: 'servers: [slow]',
  files: {
    'server.mjs': SERVER,
    'troupe.json': JSON.stringify({
      mcpServers: { slow: { command: 'node', args: ['server.mjs'], startTimeout: '60s' } },
    }),
  },
})
const env = { PATH: process.env['PATH'] ?? '' }

it('a command at a terminal prints once which MCP server it waits for', { timeout: 60_000 }, async () => {
  const count = async (tty: boolean, ...args: readonly string[]): Promise<number> => {
    const { code, err } = await troupe(args, FILES, { env, tty })
    expect(code).toBe(0)
    return err().split('Waiting for the MCP server "slow", which has not started after 5 s.').length - 1
  }
  const counts = await Promise.all([
    count(true, 'run', 'one.md', 'go'),
    count(true, 'tools', 'one.md'),
    count(true, 'check', 'one.md', '--connect'),
    count(true, 'run', 'one.md', 'go', '--quiet'),
    count(false, 'tools', 'one.md'),
  ])
  expect(counts).toEqual([1, 1, 1, 0, 0])
})
