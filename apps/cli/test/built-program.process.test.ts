import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { isAlive } from './is-alive.ts'
import { serverPids } from './server-pids.ts'
import { startProgram, watchProgram } from './start-program.ts'
import { STUBBORN_SERVER } from './stubborn-server.ts'
import { oneAgent, project, TIME_TEAM } from './team.ts'

const SOURCE = fileURLToPath(new URL('../src/bin.ts', import.meta.url))
const SLOW = oneAgent('- {say: so far, call: [{tool: x}]}\n- {say: late, delay: 10m}')

it('the built program runs a team and prints the answer on stdout and the output of functions on stderr', async () => {
  const folder = await project(TIME_TEAM)
  const program = startProgram(['run', 'team', 'What time is it?'], folder.path)
  expect(await program.ends()).toEqual([0, null])
  expect(program.out()).toBe('It is five in Paris; It is five in Rome\n')
  expect(program.err()).toContain('looked at the clock of Paris\n')
})

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends the built program with %i and the partial answer', async (signal, code) => {
  const folder = await project(SLOW)
  const program = startProgram(['run', 'one.md', 'hello'], folder.path)
  await program.says('x failed')
  program.process.kill(signal)
  expect(await program.ends()).toEqual([code, null])
  expect(program.out()).toBe('so far\n')
  expect(program.err()).toContain('interrupted: The run was interrupted')
})

it('SIGHUP ends the built program without output', async () => {
  const folder = await project(SLOW)
  const program = startProgram(['run', 'one.md', 'hello'], folder.path)
  await program.says('x failed')
  program.process.kill('SIGHUP')
  expect(await program.ends()).toEqual([129, null])
  expect(program.out()).toBe('')
})

it('a second SIGINT ends the built program at once and kills servers that do not exit', async () => {
  const folder = await project(
    oneAgent('- call: [{tool: stubborn__wait}]', {
      fields: 'mcpServers: {stubborn: {command: node, args: [server.mjs], startTimeout: 10m}}',
      files: { 'server.mjs': STUBBORN_SERVER },
    }),
  )
  const program = startProgram(['run', 'one.md', 'hello'], folder.path)
  await program.says('calls stubborn__wait')
  const pids = serverPids(folder.path)
  expect(pids).toHaveLength(1)
  program.process.kill('SIGINT')
  await program.says('interrupted: The run was interrupted')
  program.process.kill('SIGINT')
  expect(await program.ends()).toEqual([130, null])
  await expect.poll(() => pids.filter(isAlive)).toEqual([])
})

it('the built program ends with 141 and without output if the reader closes stdout', async () => {
  const folder = await project(
    oneAgent(
      '- {say: a, call: [{tool: x}]}\n- {say: b, delay: 300ms, call: [{tool: x}]}\n- {say: c, delay: 10m}',
    ),
  )
  const program = startProgram(['run', 'one.md', 'hello', '--events'], folder.path)
  if (program.process.stdout === null) return
  await once(program.process.stdout, 'data')
  program.process.stdout.destroy()
  expect(await program.ends()).toEqual([141, null])
  expect(program.err()).toBe('')
})

it('the built program continues if the reader closes only stderr', async () => {
  const folder = await project(TIME_TEAM)
  const program = startProgram(['run', 'team', 'What time is it?'], folder.path)
  await program.says('started')
  program.process.stderr?.destroy()
  expect(await program.ends()).toEqual([0, null])
  expect(program.out()).toBe('It is five in Paris; It is five in Rome\n')
})

it.each(['--help', '--version', 'run --help'])('%s does not load the engine', async (args) => {
  const trace = 'data:text/javascript,' + encodeURIComponent(LIST_MODULES)
  const folder = await project({})
  // from the sources, whose addresses name the packages
  const nodeArgs = ['--conditions=@troupe/source', '--import', trace, SOURCE]
  const program = watchProgram(
    spawn(process.execPath, [...nodeArgs, ...args.split(' ')], { cwd: folder.path, stdio: 'pipe' }),
  )
  expect((await program.ends())[0]).toBe(0)
  const loaded = program.err()
  expect(loaded).toContain('/commander/')
  expect(loaded).not.toMatch(/packages\/(?:host|core|mcp|models|cards)\/|zod|@ai-sdk|modelcontextprotocol/u)
})

/** A loader that writes the address of every loaded module to stderr. */
const LIST_MODULES = `
import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({ load(url, context, next) { writeSync(2, url + '\\n'); return next(url, context) } })
`

it('card code can import troupe, @troupe/schema, @troupe/hooks and zod from the built program without installing them', async () => {
  const folder = await project({
    'A.md':
      '---\ndescription: a\nmodel: script/play.yaml\nfunctionTools: [tools.ts:add]\ntoolHooks: [tools.ts:again, tools.ts:pass, tools.ts:small]\n---\nAdd.\n',
    'tools.ts': `import { defineTool } from 'troupe'
import { clamp, type ToolHook } from 'troupe/hooks'
import { toolResult } from '@troupe/schema'
import { retry } from '@troupe/hooks'
import { z } from 'zod'
export const again = retry({ attempts: 2 })
export const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => toolResult.json(a + b),
})
export const pass: ToolHook = (_ctx, args, callNext) => callNext(args)
export const small = clamp({ args: { a: { max: 3 } } })
`,
    'play.yaml':
      "agents: {A: [{call: [{tool: add, args: {a: 1, b: 2}}]}, {say: 'It is {{results.0.text}}.'}]}",
  })
  const program = startProgram(['run', 'A.md', 'go'], folder.path)
  await program.ends()
  expect(program.out()).toBe('It is 3.\n')
})
