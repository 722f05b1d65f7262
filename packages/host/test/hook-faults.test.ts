import { resultText } from '@troupe/schema'
import { recordEvents, tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHost, type Host } from '../src/index.ts'
import { card, stdioServer } from './support/open-team.ts'

/** Every way in which a hook may misbehave, each an export of one module. `late` is what a hook does after its end. */
const HOOKS = `
export const throws = () => { throw new TypeError('broken hook') }
export const rejects = async () => { throw 'just text' }
export const hangs = () => new Promise(() => {})
export const nothing = async (ctx, args, callNext) => { await callNext(args) }
export const garbage = () => ({ content: 'text' })
export const number = () => 42
export const badArguments = (ctx, args, callNext) => callNext('text')
export const circle = (ctx, args, callNext) => { const loop = {}; loop.loop = loop; return callNext(loop) }
export const wrongArguments = (ctx, args, callNext) => callNext({ ...args, key: 7, text: 7, json: 7 })
export const twice = async (ctx, args, callNext) => { await callNext(args); return callNext(args) }
export const atOnce = async (ctx, args, callNext) => (await Promise.all([callNext(args), callNext(args)]))[0]
export const mutates = async (ctx, args, callNext) => {
  const going = callNext(args)
  args.text = 'changed'
  args.value = 'changed'
  return going
}
export const frozen = (ctx, args, callNext) => { ctx.toolName = 'other'; return callNext(args) }
export const late = (ctx, args, callNext) => {
  setTimeout(async () => ctx.log(JSON.stringify((await callNext(args)).failure.code)), 0)
  return { outcome: 'completed', content: [{ type: 'text', text: 'early' }] }
}
export const skips = (ctx, args) => ctx.originalToolFunc(args)
export const asError = () => ({ isError: true, content: [{ type: 'text', text: 'blocked' }] })
export const pass = (ctx, args, callNext) => callNext(args)
`

const SOURCES = [
  { source: 'mcp', tool: 'srv__echo', args: { text: 'x' }, gives: /^echo: x / },
  { source: 'function', tool: 'say', args: { text: 'x' }, gives: /^said x$/ },
  { source: 'agent', tool: 'agent__Child', args: { text: 'x' }, gives: /^x$/ },
  { source: 'runtime', tool: 'shared.set', args: { key: 'k', value: 'x' }, gives: /stored/ },
] as const

/** The outcome of the call: its failure code and the number of times the tool ran. */
const FAULTS = [
  {
    hook: 'throws',
    how: 'throws',
    code: 'hook_failed',
    runs: 0,
    text: /Tool hook \d \(throws\) threw: broken hook/,
  },
  { hook: 'rejects', how: 'rejects with text', code: 'hook_failed', runs: 0, text: /threw: just text/ },
  { hook: 'hangs', how: 'never ends', code: 'hook_timeout', runs: 0, text: /exceeded its timeout of 150 ms/ },
  { hook: 'nothing', how: 'returns nothing', code: 'hook_no_result', runs: 1, text: /returned nothing/ },
  { hook: 'garbage', how: 'returns garbage', code: 'hook_no_result', runs: 0, text: /not a tool result/ },
  {
    hook: 'number',
    how: 'returns a number',
    code: 'hook_no_result',
    runs: 0,
    text: /a value of type number/,
  },
  {
    hook: 'badArguments',
    how: 'passes on text',
    code: 'hook_failed',
    runs: 0,
    text: /passed invalid arguments to `callNext`/,
  },
  {
    hook: 'circle',
    how: 'passes on a circle',
    code: 'hook_failed',
    runs: 0,
    text: /passed invalid arguments to `callNext`/,
  },
  { hook: 'frozen', how: 'changes its context', code: 'hook_failed', runs: 0, text: /read only/ },
  {
    hook: 'asError',
    how: 'answers with an MCP error',
    code: 'tool_failed',
    runs: 0,
    text: /^Error: blocked$/,
  },
] as const

/** Hooks that are correct, so the call succeeds. */
const ALLOWED = [
  { hook: 'twice', how: 'calls twice', runs: 2 },
  { hook: 'atOnce', how: 'calls twice at once', runs: 2 },
  { hook: 'mutates', how: 'changes its arguments after it called on', runs: 1 },
  { hook: 'skips', how: 'skips the hooks behind it', runs: 1 },
  { hook: 'pass', how: 'only passes on', runs: 1 },
] as const

const HOOK_NAMES = [...FAULTS, ...ALLOWED]
  .map(({ hook }) => hook)
  .concat('late' as never, 'wrongArguments' as never)
let project: TempProject
let host: Host

beforeAll(async () => {
  const parents = HOOK_NAMES.map((hook) => [
    `${hook}.md`,
    card({
      name: hook,
      model: 'passthrough',
      agents: ['Child'],
      functionTools: ['code.ts:say'],
      runtimeTools: ['shared'],
      mcpServers: { srv: stdioServer() },
      toolHooks: [`hooks.ts:${hook}`, ...(hook === 'skips' ? ['hooks.ts:throws'] : [])],
      // only the hook that hangs runs into it
      limits: hook === 'hangs' ? { hookTimeout: 150 } : {},
    }),
  ])
  project = await tempProject({
    ...Object.fromEntries(parents),
    'child.md': card({
      name: 'Child',
      model: 'passthrough',
      // a child without a schema takes anything
      input: { schema: { type: 'object', properties: { text: { type: 'string' } } } },
    }),
    'code.ts': `
export const say = ({ text }) => 'said ' + text
say.input = { type: 'object', properties: { text: { type: 'string' } } }
`,
    'hooks.ts': HOOKS,
  })
  host = await createHost({ cards: ['.'], cwd: project.path, home: project.path, entry: 'pass' })
})

afterAll(async () => {
  await host.close()
  await project.remove()
})

async function callThrough(hook: string, { tool, args }: (typeof SOURCES)[number]) {
  const record = recordEvents()
  const result = await host.callTool(hook, tool, args, { onEvent: record.listener })
  return { result, record, runs: record.of('tool-start').filter((event) => event.depth === 0).length }
}

describe.each(SOURCES)('hooks around a tool of source $source', (source) => {
  it.each(FAULTS)(
    `a hook that $how ends the call with $code, and the run continues ${verifies('B3', 'B36', 'B38', 'B47', 'R8', 'R10')}`,
    async ({ hook, code, runs, text }) => {
      const called = await callThrough(hook, source)
      expect(called.result.failure?.code).toBe(code)
      expect(resultText(called.result)).toMatch(text)
      expect(called.runs).toBe(runs)
      expect(called.record.of('tool-result').filter((event) => event.depth === 0)).toMatchObject([
        { source: source.source, error: { code } },
      ])
      expect(called.record.of('run-end').at(-1)?.outcome).toBe('completed')
    },
  )

  it.each(ALLOWED)(
    `a hook that $how is valid: the tool runs $runs× ${verifies('B33', 'B34', 'B39', 'B47', 'R10')}`,
    async ({ hook, runs }) => {
      const called = await callThrough(hook, source)
      expect(resultText(called.result)).toMatch(source.gives)
      expect(called.runs).toBe(runs)
      expect(
        called.record
          .of('tool-start')
          .filter((event) => event.depth === 0)
          .map((event) => event.attempt),
      ).toEqual(Array.from({ length: runs }, (_, index) => index + 1))
    },
  )

  it(`a hook that calls callNext after it has returned gets an error, and no tool runs ${verifies('B38', 'B47')}`, async () => {
    const called = await callThrough('late', source)
    expect(resultText(called.result)).toBe('early')
    expect(called.runs).toBe(0)
  })

  it(`a hook that passes on arguments that do not match the schema gets an error ${verifies('B34', 'B47')}`, async () => {
    const called = await callThrough('wrongArguments', source)
    expect(called.result.failure?.code).toMatch(/^tool_/u)
    expect(called.record.of('run-end').at(-1)?.outcome).toBe('completed')
  })
})
