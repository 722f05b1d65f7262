import type { HookContext, ToolContext, ToolResult } from '@troupe/schema'
import { deferred, fakeClock, tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadFunctionTools, loadToolHooks, type PythonFunction, type WantedFunction } from '../src/index.ts'

/** Loads functions of Python without running Python: each is as `found` says. */
async function python(
  found: Partial<PythonFunction> = {},
  files: Readonly<Record<string, string>> = { 'tools.py': '' },
): Promise<{
  readonly wanted: WantedFunction[]
  readonly urls: string[]
  readonly options: Parameters<typeof loadFunctionTools>[1]
}> {
  const project = await tempProject(files)
  onTestFinished(() => project.remove())
  const wanted: WantedFunction[] = []
  const urls: string[] = []
  return {
    wanted,
    urls,
    options: {
      folder: project.path,
      agent: 'Clerk',
      moduleUrl: (file) => {
        urls.push(file.slice(project.path.length + 1))
        return file
      },
      variables: (names) => Object.fromEntries(['CARD', ...names].map((name) => [name, name.toLowerCase()])),
      python: {
        load: async (one) => {
          wanted.push(one)
          return {
            name: one.name,
            params: 2,
            description: 'Adds.',
            inputSchema: { type: 'object', properties: { a: { type: 'integer' } } },
            effect: undefined,
            capabilities: undefined,
            files: [one.file],
            call: async () => undefined,
            hook: async () => undefined,
            endRun: () => undefined,
            ...found,
          }
        },
      },
    },
  }
}

describe('a function tool in Python', () => {
  it('a Python function is a tool with the schema and docstring that Python reports', async () => {
    const calls: unknown[] = []
    const { options, wanted, urls } = await python({
      call: async (args) => {
        calls.push(args)
        return 3
      },
    })
    const [tool] = await loadFunctionTools([{ use: 'tools.py:add', env: ['KEY'] }], options)
    expect(tool).toMatchObject({
      name: 'add',
      source: 'function',
      description: 'Adds.',
      effect: 'once',
      inputSchema: { type: 'object', properties: { a: { type: 'integer' } } },
    })
    expect(wanted).toMatchObject([
      { spec: 'tools.py:add', name: 'add', kind: 'tool', env: { CARD: 'card', KEY: 'key' } },
    ])
    expect(urls).toContain('tools.py')
    const ctx = { signal: new AbortController().signal, run: { log: () => undefined } }
    expect(await tool?.execute({ a: 1 }, ctx as unknown as ToolContext)).toBe(3)
    expect(calls).toEqual([{ a: 1 }])
  })

  it('attributes of a Python function set the effect and capabilities of its tool', async () => {
    const { options } = await python({ effect: 'read', capabilities: ['egress'] })
    const [tool] = await loadFunctionTools(['tools.py:add'], options)
    expect(tool).toMatchObject({ effect: 'read', capabilities: ['egress'] })
    const bad = await python({ effect: 'never' })
    await expect(loadFunctionTools(['tools.py:add'], bad.options)).rejects.toThrow('its property `effect`')
  })

  it('a TypeScript module of the same name is loaded in place of a Python file', async () => {
    const { options, wanted } = await python(
      {},
      { 'tools.py': '', 'tools.ts': 'export function add() { return 7 }' },
    )
    const [tool] = await loadFunctionTools(['tools.py:add'], {
      ...options,
      moduleUrl: (file) => `file://${file}`,
    })
    expect(tool?.execute({}, {} as ToolContext)).toBe(7)
    expect(wanted).toEqual([])
  })

  it('a Python file outside the folder of the card is refused before Python starts', async () => {
    const { options, wanted } = await python()
    const inner = { ...options, folder: `${options.folder}/inner` }
    await expect(loadFunctionTools(['../tools.py:add'], inner)).rejects.toMatchObject({
      failure: { code: 'function_not_found' },
    })
    await expect(loadFunctionTools(['../tools.py:add'], options)).rejects.toMatchObject({
      failure: { code: 'function_bad_spec', message: expect.stringContaining('/tools.py, which is outside') },
    })
    expect(wanted).toEqual([])
  })

  it('a Python function where only modules of Node can be used is refused', async () => {
    const { options } = await python()
    for (const load of [
      () => loadToolHooks([{ use: 'tools.py:make', most: 3 }], options),
      () => loadFunctionTools(['tools.py:add'], { folder: options.folder, agent: 'Clerk' }),
    ])
      await expect(load()).rejects.toMatchObject({
        failure: { code: 'function_bad_spec', message: expect.stringContaining('cannot be used here') },
      })
  })
})

describe('a tool hook in Python', () => {
  it('a Python hook gets the call as data, and its calls of call_next reach the next hook', async () => {
    const { options } = await python({
      hook: async (_run, ctx, { back }) => [
        ctx,
        await back?.('call_next', { a: 2 }),
        await back?.('is_denied', {}),
      ],
    })
    const [hook] = await loadToolHooks(['tools.py:guard'], options)
    const state = new Map<string, unknown>()
    const ctx = {
      agentName: 'Clerk',
      toolName: 'add',
      state: () => state,
      isDenied: () => true,
      log: () => undefined,
    }
    const result = { outcome: 'completed', content: [] } as const
    const next = { ...result, isError: false }
    Object.defineProperty(next, 'isError', { enumerable: false })
    expect(await hook?.(ctx as unknown as HookContext, { a: 1 }, async () => next)).toEqual([
      expect.objectContaining({ args: { a: 1 }, agent_name: 'Clerk', tool_name: 'add' }),
      { ...result, isError: false },
      true,
    ])
  })

  it('a Python hook is cancelled at its timeout, without the time in call_next', async () => {
    const clock = fakeClock()
    const signals: AbortSignal[] = []
    const { options } = await python({
      hook: async (_run, _ctx, { signal, back }) => {
        signals.push(signal)
        await back?.('call_next', {})
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('cancelled'))),
        )
      },
    })
    const [hook] = await loadToolHooks(['tools.py:guard'], { ...options, hookTimeoutMs: 100 })
    const signal = new AbortController().signal
    const ctx = { clock, signal, state: () => new Map() } as unknown as HookContext
    const called = deferred<ToolResult>()
    const pending = Promise.resolve(hook?.(ctx, {}, () => called.promise)).catch((thrown: unknown) => thrown)
    await clock.advance(500)
    expect(signals[0]?.aborted).toBe(false)
    called.resolve({ outcome: 'completed', content: [] })
    await clock.advance(99)
    expect(signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    expect(signals[0]?.aborted).toBe(true)
    expect(await pending).toMatchObject({ message: 'cancelled' })
  })

  it('hooks of one run share a state in Python, and other runs have their own', async () => {
    const runs: string[] = []
    const { options } = await python({
      hook: async (run) => {
        runs.push(run)
      },
    })
    const [hook] = await loadToolHooks(['tools.py:guard'], options)
    const contexts = [new Map(), new Map()].map((state) => ({ state: () => state }) as unknown as HookContext)
    for (const ctx of [...contexts, ...contexts])
      await hook?.(ctx, {}, async () => ({ outcome: 'completed', content: [] }))
    expect([runs[0], runs[1]]).toEqual([runs[2], runs[3]])
    expect(runs[0]).not.toBe(runs[1])
  })

  it.each([1, 4])('a Python hook with %s parameters is an error of the card', async (params) => {
    const { options } = await python({ params })
    await expect(loadToolHooks(['tools.py:guard'], options)).rejects.toMatchObject({
      failure: { code: 'hook_bad_signature', message: expect.stringContaining('(ctx, call_next)') },
    })
  })
})
