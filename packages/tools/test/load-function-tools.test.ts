import { defineTool, type ToolContext, type ToolDefinition } from '@troupe/schema'
import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadFunctionTools } from '../src/index.ts'

const projects: TempProject[] = []

afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove()
})

type Entries = Parameters<typeof loadFunctionTools>[0]

/** Loads entries of `tools.ts` with these exports. */
async function load(
  entries: Entries,
  exported: Readonly<Record<string, unknown>> = {},
): Promise<readonly ToolDefinition[]> {
  const project = await tempProject({ 'tools.ts': '', 'other.ts': '' })
  projects.push(project)
  return loadFunctionTools(entries, {
    folder: project.path,
    agent: 'Clerk',
    importModule: async () => exported,
  })
}

const context = { attempt: 1 } as ToolContext

describe('a function tool', () => {
  it(`a function of a module is a tool named after its export, called with arguments and context ${verifies('B7', 'B21', 'B41')}`, async () => {
    const calls: unknown[][] = []
    const [tool] = await load(['tools.ts:add'], { add: (...given: unknown[]) => calls.push(given) })
    expect(tool).toMatchObject({
      name: 'add',
      wireName: 'add',
      source: 'function',
      effect: 'once',
      description: 'The function add.',
      inputSchema: { type: 'object', additionalProperties: true },
    })
    expect(tool).not.toHaveProperty('server')
    const args = { a: 1 }
    expect(tool?.execute(args, context)).toBe(1)
    expect(calls).toEqual([[args, context]])
  })

  it(`a function loaded from a file provides the description that the model gets ${verifies('B7', 'B22')}`, async () => {
    const project = await tempProject({
      'weather.ts': `
        export function lookUp({ city }: { city: string }): string { return 'Sunny in ' + city }
        lookUp.description = 'The weather of a city'
        lookUp.effect = 'read'
        lookUp.input = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }`,
    })
    projects.push(project)
    const [tool] = await loadFunctionTools(['weather.py:lookUp'], { folder: project.path, agent: 'Clerk' })
    expect(tool).toMatchObject({
      name: 'lookUp',
      description: 'The weather of a city',
      effect: 'read',
      inputSchema: { type: 'object', required: ['city'] },
    })
    expect(tool?.execute({ city: 'Rome' }, context)).toBe('Sunny in Rome')
  })

  it('a function may declare its input in zod and then receives the parsed value', async () => {
    const echo = Object.assign((args: unknown) => args, { input: z.object({ n: z.number().default(7) }) })
    const [tool] = await load(['tools.ts:echo'], { echo })
    expect(tool?.inputSchema).toMatchObject({ type: 'object', properties: { n: { default: 7 } } })
    expect(tool?.execute({}, context)).toEqual({ n: 7 })
  })

  it(`a function passed from code is wrapped under its own name ${verifies('B21')}`, async () => {
    function greet(): string {
      return 'hello'
    }
    const [tool] = await load([greet])
    expect(tool).toMatchObject({ name: 'greet', source: 'function' })
    expect(tool?.execute({}, context)).toBe('hello')
  })

  it('a function exported as default has the name of the function', async () => {
    const [tool] = await load(['tools.ts:default'], { default: function spell() {} })
    expect(tool?.name).toBe('spell')
  })

  it('a function without a name is an error', async () => {
    const unnamed = [() => 1][0] as () => number
    await expect(load([unnamed])).rejects.toMatchObject({
      code: 'function_bad_spec',
      message: expect.stringContaining('Clerk'),
    })
    const named = Object.defineProperty(() => 1, 'name', { value: 'default' })
    await expect(load(['tools.ts:default'], { default: named })).rejects.toMatchObject({
      code: 'function_bad_spec',
      message: expect.stringContaining('tools.ts:default'),
    })
  })

  it.each<[string, unknown]>([
    ['description', 5],
    ['effect', 'sometimes'],
    ['input', 'text'],
    ['input', { _def: {}, '~standard': {} }],
  ])('a function with an invalid `%s` is an error that names the property', async (key, value) => {
    const add = Object.assign(() => 1, { [key]: value })
    await expect(load(['tools.ts:add'], { add })).rejects.toMatchObject({
      code: 'card_bad_value',
      message: expect.stringContaining(`\`${key}\``),
    })
  })

  it('a function whose input is not an object is an error', async () => {
    const add = Object.assign(() => 1, { input: { type: 'string' } })
    await expect(load(['tools.ts:add'], { add })).rejects.toMatchObject({ code: 'tool_schema_invalid' })
  })
})

describe('a tool made by defineTool', () => {
  const clock = defineTool({
    name: 'clock',
    description: 'Tells the time',
    effect: 'read',
    execute: () => '12:00',
  })

  it('a tool made by defineTool is kept unchanged, from code and from a module', async () => {
    expect((await load([clock]))[0]).toBe(clock)
    expect((await load(['tools.ts:theClock'], { theClock: clock }))[0]).toBe(clock)
  })
})

describe('a list of function tools', () => {
  it('a list of function tools keeps its order', async () => {
    const tools = await load(['tools.ts:b', function c() {}, 'tools.ts:a'], { a: () => 1, b: () => 2 })
    expect(tools.map((tool) => tool.name)).toEqual(['b', 'c', 'a'])
  })

  it(`a list with two tools of the same name is an error that names both ${verifies('R2')}`, async () => {
    await expect(load(['tools.ts:add', 'other.ts:add'], { add: () => 1 })).rejects.toMatchObject({
      code: 'tool_name_conflict',
      message: 'Agent Clerk: "tools.ts:add" and "other.ts:add" are both named add.',
    })
  })

  it(`a list with an export that is neither function nor tool is an error ${verifies('B24', 'B46')}`, async () => {
    for (const add of [5, null, { name: 'x' }, 'text']) {
      await expect(load(['tools.ts:add'], { add })).rejects.toMatchObject({
        code: 'function_not_callable',
        message: expect.stringMatching(/"tools\.ts:add": add in .*tools\.ts is of type/u),
      })
    }
  })

  it(`a list with a spec that cannot be loaded is an error, and nothing is skipped ${verifies('B24')}`, async () => {
    await expect(load([() => 1, 'nowhere'])).rejects.toMatchObject({ code: 'function_bad_spec' })
    await expect(load(['none.ts:f'])).rejects.toMatchObject({ code: 'function_not_found' })
  })
})
