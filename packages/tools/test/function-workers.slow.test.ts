import type { ToolContext, ToolDefinition } from '@troupe/schema'
import { leakCheck, tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFunctionWorkers, loadFunctionTools, type FunctionWorkers } from '../src/index.ts'

const MODULE = `
let calls = 0
export function add({ a, b }: { a: number; b: number }, ctx: any): object {
  ctx.progress('adding')
  ctx.run.log('key ' + ctx.run.env('KEY') + ', other ' + ctx.run.env('OTHER'))
  return { sum: a + b, attempt: ctx.attempt, calls: ++calls }
}
add.description = 'Adds.'
add.effect = 'read'
add.input = { type: 'object', properties: { a: { type: 'number' } } }
export const tool = {
  name: 'tool', wireName: 'tool', source: 'function', effect: 'once', description: 'A tool.',
  inputSchema: { type: 'object' }, execute: ({ text }: any) => 'tool ' + text,
}
export function spin(): void { for (;;) {} }
export function leaves(): void { process.exit(3) }
export function throws(): void { throw new RangeError('too much') }
export function later(): string { setTimeout(() => { throw new Error('later') }, 0); return 'now' }
export function closure(): object { return { fn: () => 1 } }
export function huge(): string { return 'x'.repeat(40 * 1024 * 1024) }
export function prints(): string { console.log('printed line'); return 'done' }
export function hoard(): unknown { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)) }
`

interface Called {
  readonly texts: string[]
  readonly stop: AbortController
  readonly ctx: ToolContext
}

function contextOf(): Called {
  const texts: string[] = []
  const stop = new AbortController()
  const run = {
    env: (name: string) => (name === 'KEY' || name === 'OTHER' ? `value of ${name}` : undefined),
    log: (text: string) => texts.push(`log ${text}`),
  }
  const ctx = {
    site: { turn: 1, ordinal: 1, callId: '1.1', toolUseId: 'c' },
    attempt: 2,
    idempotencyKey: 'key',
    signal: stop.signal,
    run: run as unknown as ToolContext['run'],
    progress: (text: string) => texts.push(`progress ${text}`),
    ask: () => Promise.resolve({ answered: false as const, reason: 'no user is connected' }),
  }
  return { texts, stop, ctx }
}

async function open(names: readonly string[], size = 1) {
  const project = await tempProject({ 'work.ts': MODULE })
  const workers: FunctionWorkers = createFunctionWorkers({ size, maxHeapMb: 128 })
  onTestFinished(async () => {
    await workers.close()
    await project.remove()
  })
  const entries = names.map((name) => ({ use: `work.ts:${name}`, worker: true, env: ['KEY'] }))
  const tools = await loadFunctionTools(entries, { folder: project.path, agent: 'Clerk', workers })
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return { tool: (name: string): ToolDefinition => byName.get(name) as ToolDefinition, workers }
}

/** Returns the error code that a call fails with. */
function codeOf(call: unknown): Promise<unknown> {
  return Promise.resolve(call).then(
    () => 'none',
    (thrown: { readonly code: unknown }) => thrown.code,
  )
}

describe('a function in a worker', () => {
  it(`a worker function is described in the main thread and runs in the worker, with its arguments and variables ${verifies('B7', 'B21', 'B22')}`, async () => {
    const { tool } = await open(['add', 'tool'])
    const { ctx, texts } = contextOf()
    expect(tool('add')).toMatchObject({ description: 'Adds.', effect: 'read', source: 'function' })
    expect(await tool('add').execute({ a: 1, b: 2 }, ctx)).toEqual({ sum: 3, attempt: 2, calls: 1 })
    expect(texts).toEqual(['progress adding', 'log key value of KEY, other undefined'])
    expect(await tool('tool').execute({ text: 'x' }, ctx)).toBe('tool x')
  })

  it('a worker function keeps its thread between calls, and calls wait in order for a free one', async () => {
    const { tool } = await open(['add'])
    const calls = [1, 2, 3].map((a) => tool('add').execute({ a, b: 0 }, contextOf().ctx))
    expect(await Promise.all(calls)).toMatchObject([
      { sum: 1, calls: 1 },
      { sum: 2, calls: 2 },
      { sum: 3, calls: 3 },
    ])
  })

  it('a worker function that never returns is ended by the abort, and the next call has a new thread', async () => {
    const { tool } = await open(['spin', 'add'])
    const { ctx, stop } = contextOf()
    const spinning = tool('spin').execute({}, ctx)
    const waiting = tool('add').execute({ a: 1, b: 1 }, contextOf().ctx)
    setTimeout(() => stop.abort(), 100)
    await expect(spinning).rejects.toMatchObject({ code: 'run_cancelled' })
    expect(await waiting).toMatchObject({ sum: 2, calls: 1 })
  })

  it('a worker function that waits for a thread leaves the queue when it is cancelled', async () => {
    const { tool } = await open(['spin', 'add'])
    const spinning = contextOf()
    const first = codeOf(tool('spin').execute({}, spinning.ctx))
    const waiting = contextOf()
    const second = codeOf(tool('add').execute({ a: 1 }, waiting.ctx))
    waiting.stop.abort()
    expect(await second).toBe('run_cancelled')
    spinning.stop.abort()
    expect(await first).toBe('run_cancelled')
    expect(await tool('add').execute({ a: 1, b: 1 }, contextOf().ctx)).toMatchObject({ sum: 2 })
  })

  it.each([
    ['leaves', /exited: exit code 3/u],
    ['throws', /^too much$/u],
    ['closure', /could not be cloned/u],
    ['huge', /more than the limit of 33554432/u],
    ['hoard', /exited: .*memory/u],
  ])('a worker function that %s is a failed call, and the next one succeeds', async (name, message) => {
    const { tool } = await open([name, 'add'])
    await expect(tool(name).execute({}, contextOf().ctx)).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringMatching(message),
    })
    expect(await tool('add').execute({ a: 1, b: 1 }, contextOf().ctx)).toMatchObject({ sum: 2 })
  })

  it('a worker function that throws after its end affects no other call', async () => {
    const { tool } = await open(['later', 'add'])
    expect(await tool('later').execute({}, contextOf().ctx)).toBe('now')
    await expect.poll(() => tool('add').execute({ a: 1, b: 1 }, contextOf().ctx)).toMatchObject({ sum: 2 })
  })

  it('a worker function prints to the log of the run and not to the output of the process', async () => {
    const { tool } = await open(['prints'])
    const { ctx, texts } = contextOf()
    await tool('prints').execute({}, ctx)
    expect(texts).toContain('log printed line')
  })

  it('function workers leave nothing open after close and reject further calls', async () => {
    const leaks = leakCheck()
    const { tool, workers } = await open(['add', 'spin'], 2)
    await tool('add').execute({ a: 1 }, contextOf().ctx)
    const spinning = codeOf(tool('spin').execute({}, contextOf().ctx))
    await workers.close()
    expect(await spinning).toBe('tool_failed')
    await expect(tool('add').execute({ a: 1 }, contextOf().ctx)).rejects.toMatchObject({
      code: 'run_cancelled',
    })
    await leaks.assertClean()
  })

  it('a worker function is an error if there are no workers', async () => {
    const project = await tempProject({ 'work.ts': MODULE })
    onTestFinished(() => project.remove())
    const loading = loadFunctionTools([{ use: 'work.ts:add', worker: true }], {
      folder: project.path,
      agent: 'A',
    })
    await expect(loading).rejects.toMatchObject({ code: 'function_bad_spec' })
  })
})
