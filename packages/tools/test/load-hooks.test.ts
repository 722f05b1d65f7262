import { toolResult, type JsonObject, type LoopHookSpecs, type ToolHook } from '@troupe/schema'
import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { loadLoopHooks, loadToolHooks } from '../src/index.ts'

const projects: TempProject[] = []

afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove()
})

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const project = await tempProject(files)
  projects.push(project)
  return project.path
}

type Entries = Parameters<typeof loadToolHooks>[0]

const pass: ToolHook = (_ctx, args, callNext) => callNext(args)
const settings: JsonObject[] = []
const stock = new Map([
  [
    'redact',
    (options: JsonObject): ToolHook => {
      settings.push(options)
      return pass
    },
  ],
  ['audit', () => pass],
])

/** Loads hooks of `hooks.ts` with these exports. */
async function load(
  entries: Entries,
  exported: Readonly<Record<string, unknown>> = {},
): Promise<readonly ToolHook[]> {
  const folder = await folderOf({ 'hooks.ts': '' })
  return loadToolHooks(entries, { folder, agent: 'Clerk', stock, importModule: async () => exported })
}

describe('tool hooks', () => {
  it(`tool hooks are kept if they are functions and loaded like function tools if they are specs, in order ${verifies('B11', 'B26', 'B46')}`, async () => {
    const folder = await folderOf({
      'hooks.ts': 'export const audit_hook = async (ctx, args, callNext) => callNext(args)',
    })
    const hooks = await loadToolHooks([pass, 'hooks.py:audit_hook'], { folder, agent: 'Clerk' })
    expect(hooks[0]).toBe(pass)
    expect(hooks[1]?.name).toBe('audit_hook')
  })

  it(`tool hooks fail to load with the same errors as function tools ${verifies('B24', 'B26', 'B46')}`, async () => {
    await expect(load(['audit'])).rejects.toMatchObject({ code: 'function_bad_spec' })
    await expect(load(['none.ts:audit'])).rejects.toMatchObject({ code: 'function_not_found' })
    await expect(load(['hooks.ts:audit'], {})).rejects.toMatchObject({ code: 'function_not_found' })
    await expect(load(['hooks.ts:audit'], { audit: {} })).rejects.toMatchObject({
      code: 'function_not_callable',
    })
    await expect(load(['../hooks.ts:audit'])).rejects.toMatchObject({ code: 'function_bad_spec' })
  })

  it(`tool hooks have at most three parameters ${verifies('R10', 'B52')}`, async () => {
    const four = (_a: unknown, _b: unknown, _c: unknown, _d: unknown) => toolResult.text('')
    const bad = { code: 'hook_bad_signature', message: expect.stringContaining('(ctx, args, callNext)') }
    await expect(load(['hooks.ts:four'], { four })).rejects.toMatchObject(bad)
    await expect(load([four as unknown as ToolHook])).rejects.toMatchObject(bad)
    await expect(load([{ use: 'hooks.ts:make' }], { make: () => four })).rejects.toMatchObject(bad)
    expect(await load([() => toolResult.text('none')])).toHaveLength(1)
  })

  it('stock hooks are found by name, with and without options', async () => {
    settings.length = 0
    const hooks = await load([
      'troupe:redact',
      { use: 'redact', words: ['x'] },
      { use: 'troupe:redact', on: true },
    ])
    expect(hooks).toEqual([pass, pass, pass])
    expect(settings).toEqual([{}, { words: ['x'] }, { on: true }])
  })

  it.each<[string, Entries[number]]>([
    ['text', 'troupe:redct'],
    ['use', { use: 'redct' }],
    ['a prefixed use', { use: 'troupe:redct' }],
    ['a name every object has', { use: 'constructor' }],
  ])('an unknown stock hook, as %s, is an error that lists the known ones', async (_how, entry) => {
    await expect(load([entry])).rejects.toMatchObject({
      code: 'function_not_found',
      message: expect.stringMatching(/Clerk.*Known: troupe:redact, troupe:audit/u),
    })
    const folder = await folderOf({})
    const suggesting = loadToolHooks([entry], { folder, agent: 'Clerk', stock, suggest: () => 'redact' })
    await expect(suggesting).rejects.toMatchObject({
      failure: { remediation: 'Did you mean troupe:redact?' },
    })
    await expect(loadToolHooks([entry], { folder, agent: 'Clerk' })).rejects.toThrow('Known: none')
  })

  it('a tool hook with options is a function that creates the hook from them', async () => {
    const given: unknown[] = []
    const make = (options: unknown): ToolHook => {
      given.push(options)
      return pass
    }
    expect(await load([{ use: 'hooks.ts:make', limit: 3 }], { make })).toEqual([pass])
    expect(await load([{ use: './hooks.ts:make' }], { make: async () => pass })).toEqual([pass])
    expect(given).toEqual([{ limit: 3 }])
  })

  it('a tool hook with options that creates no hook is an error', async () => {
    await expect(load([{ use: 'hooks.ts:make' }], { make: () => undefined })).rejects.toMatchObject({
      code: 'function_not_callable',
      message: expect.stringContaining('hooks.ts:make'),
    })
    const picky = (): never => {
      throw new RangeError('limit must be positive')
    }
    await expect(load([{ use: 'hooks.ts:make' }], { make: picky })).rejects.toMatchObject({
      code: 'function_load_failed',
      message: expect.stringContaining('limit must be positive'),
      cause: expect.any(RangeError),
    })
  })
})

describe('loop hooks', () => {
  const loadLoop = async (specs: LoopHookSpecs, exported: Readonly<Record<string, unknown>> = {}) =>
    loadLoopHooks(specs, {
      folder: await folderOf({ 'hooks.ts': '' }),
      agent: 'Clerk',
      importModule: async () => exported,
    })

  it(`loop hooks are loaded like tool hooks and independently of them, and omitted ones stay undefined ${verifies('B26')}`, async () => {
    const onEnd = (): void => undefined
    const beforeModel = (_ctx: unknown, _messages: unknown): void => undefined
    expect(await loadLoop({})).toEqual({})
    expect(await loadLoop({ onEnd, beforeModel: 'hooks.ts:beforeModel' }, { beforeModel })).toEqual({
      onEnd,
      beforeModel,
    })
  })

  it(`loop hooks have at most the parameters of their kind ${verifies('R10')}`, async () => {
    const two = (_ctx: unknown, _more: unknown): void => undefined
    await expect(loadLoop({ afterTurn: 'hooks.ts:two' }, { two })).rejects.toMatchObject({
      code: 'hook_bad_signature',
      message: 'The loop hook afterTurn "hooks.ts:two" of Clerk has 2 parameters; the form is (ctx).',
    })
  })

  it('loop hooks fail to load with the same errors as tool hooks', async () => {
    await expect(loadLoop({ onEnd: 'nothing' })).rejects.toMatchObject({ code: 'function_bad_spec' })
    await expect(loadLoop({ onEnd: 'hooks.ts:x' }, { x: 1 })).rejects.toMatchObject({
      code: 'function_not_callable',
    })
  })
})
