import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { errorMessage } from '@troupe/schema'
import { expect, it, onTestFinished } from 'vitest'
import { oneAgent, project, TIME_TEAM } from './team.ts'

const BIN = fileURLToPath(new URL('../src/bin.ts', import.meta.url))
const SLOW = oneAgent('- {say: so far, call: [{tool: x}]}\n- {say: late, delay: 10m}')

interface Program {
  readonly process: ChildProcess
  readonly out: () => string
  readonly err: () => string
  /** Resolves when stderr has this text. */
  readonly says: (text: string) => Promise<void>
  readonly ends: () => Promise<readonly [number | null, NodeJS.Signals | null]>
}

/** The program as a process of its own, from its sources. */
function start(args: readonly string[], cwd: string, nodeArgs: readonly string[] = []): Program {
  const child = spawn(process.execPath, ['--conditions=@troupe/source', ...nodeArgs, BIN, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    if (child.exitCode === null) child.kill('SIGKILL')
  })
  const out = keep(child.stdout)
  const err = keep(child.stderr)
  return {
    process: child,
    out,
    err,
    says: async (text) => {
      while (!err().includes(text)) await once(child.stderr, 'data')
    },
    ends: async () =>
      child.exitCode === null ? ((await once(child, 'close')) as [number, null]) : [child.exitCode, null],
  }
}

function keep(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}

it('runs a team: the answer on stdout, what functions print on stderr', async () => {
  const folder = await project(TIME_TEAM)
  const program = start(['run', 'team', 'What time is it?'], folder.path)
  expect(await program.ends()).toEqual([0, null])
  expect(program.out()).toBe('It is five in Paris; It is five in Rome\n')
  expect(program.err()).toContain('looked at the clock of Paris\n')
})

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends it with %i, what there is of an answer is printed', async (signal, code) => {
  const folder = await project(SLOW)
  const program = start(['run', 'one.md', 'hello'], folder.path)
  await program.says('x failed')
  program.process.kill(signal)
  expect(await program.ends()).toEqual([code, null])
  expect(program.out()).toBe('so far\n')
  expect(program.err()).toContain('cancelled: The run was stopped')
})

it('SIGHUP ends it without a word', async () => {
  const folder = await project(SLOW)
  const program = start(['run', 'one.md', 'hello'], folder.path)
  await program.says('x failed')
  program.process.kill('SIGHUP')
  expect(await program.ends()).toEqual([129, null])
  expect(program.out()).toBe('')
})

it('a second SIGINT ends it at once and kills the servers that do not end by themselves', async () => {
  const folder = await project(
    oneAgent('- call: [{tool: stubborn__wait}]', {
      fields: 'mcpServers: {stubborn: {command: node, args: [server.mjs]}}',
      files: { 'server.mjs': STUBBORN_SERVER },
    }),
  )
  const program = start(['run', 'one.md', 'hello'], folder.path)
  await program.says('calls stubborn__wait')
  const pid = Number(await folder.read('pid'))
  expect(isAlive(pid)).toBe(true)
  program.process.kill('SIGINT')
  await program.says('cancelled: The run was stopped')
  program.process.kill('SIGINT')
  expect(await program.ends()).toEqual([130, null])
  await expect.poll(() => isAlive(pid)).toBe(false)
})

/** A zombie is dead: it only waits for its parent, which some containers do not have. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (thrown) {
    // no such process; or no such folder, where the system has none
    return errorMessage(thrown).includes('ENOENT') && process.platform !== 'linux'
  }
}

/** An MCP server with one tool that never answers; it ignores every wish that it may end. */
const STUBBORN_SERVER = `
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
writeFileSync('pid', String(process.pid))
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

it('ends with 141 and without a word when the reader of stdout leaves', async () => {
  const folder = await project(
    oneAgent(
      '- {say: a, call: [{tool: x}]}\n- {say: b, delay: 300ms, call: [{tool: x}]}\n- {say: c, delay: 10m}',
    ),
  )
  const program = start(['run', 'one.md', 'hello', '--events'], folder.path)
  if (program.process.stdout === null) return
  await once(program.process.stdout, 'data')
  program.process.stdout.destroy()
  expect(await program.ends()).toEqual([141, null])
  expect(program.err()).toBe('')
})

it('goes on when only the reader of stderr leaves', async () => {
  const folder = await project(TIME_TEAM)
  const program = start(['run', 'team', 'What time is it?'], folder.path)
  await program.says('started')
  program.process.stderr?.destroy()
  expect(await program.ends()).toEqual([0, null])
  expect(program.out()).toBe('It is five in Paris; It is five in Rome\n')
})

it.each(['--help', '--version', 'run --help'])('%s loads no engine', async (args) => {
  const trace = 'data:text/javascript,' + encodeURIComponent(LIST_MODULES)
  const folder = await project({})
  const program = start(args.split(' '), folder.path, ['--import', trace])
  expect((await program.ends())[0]).toBe(0)
  const loaded = program.err()
  expect(loaded).toContain('/commander/')
  expect(loaded).not.toMatch(
    /packages\/(?:host|core|mcp|models|cards)\/|zod|@ai-sdk|modelcontextprotocol|log-update/u,
  )
})

/** Writes the address of every module that is loaded to stderr. */
const LIST_MODULES = `
import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({ load(url, context, next) { writeSync(2, url + '\\n'); return next(url, context) } })
`

it('brings @troupe/schema, @troupe/hooks and zod to code of cards that has none of them installed', async () => {
  const folder = await project({
    'A.md':
      '---\ndescription: a\nmodel: script/play.yaml\nfunctionTools: [tools.ts:add]\ntoolHooks: [tools.ts:again]\n---\nAdd.\n',
    'tools.ts': `import { defineTool } from '@troupe/schema'
import { retry } from '@troupe/hooks'
import { z } from 'zod'
export const again = retry({ attempts: 2 })
export const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})
`,
    'play.yaml':
      "agents: {A: [{call: [{tool: add, args: {a: 1, b: 2}}]}, {say: 'It is {{results.0.text}}.'}]}",
  })
  const program = start(['run', 'A.md', 'go'], folder.path)
  await program.ends()
  expect(program.out()).toBe('It is 3.\n')
})
