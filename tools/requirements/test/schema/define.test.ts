import { defineAgent, defineHook, defineTool, type AgentFields, type ToolContext } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const NO_CONTEXT = {} as ToolContext
const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  execute: ({ a, b }) => a + b,
})
const audit = defineHook((_, args, callNext) => callNext(args))

describe('defineAgent', () => {
  it(`defineAgent accepts servers, filters, function tools, agents and hooks in one declaration ${verifies('B1', 'B2', 'B27')}`, () => {
    const child = defineAgent({ name: 'NY', instruction: 'You are in New York.' })
    const summarise = (args: { readonly text: string }): string => args.text.slice(0, 10)
    const parent = defineAgent({
      name: 'PMO',
      instruction: 'Delegate.',
      servers: ['time', 'github'],
      tools: { time: ['get_time'], github: ['search_*'] },
      functionTools: [add, summarise, 'tools.ts:redact'],
      agents: [child, 'London'],
      toolHooks: [audit, 'hooks.ts:guard', { use: 'audit' }],
    })
    expect(parent).toMatchObject({
      servers: ['time', 'github'],
      tools: { servers: { time: ['get_time'], github: ['search_*'] } },
      functionTools: [add, summarise, 'tools.ts:redact'],
      agents: [child, 'London'],
      toolHooks: [audit, 'hooks.ts:guard', { use: 'audit' }],
    })
  })

  it('defineAgent stores the folder from which relative paths are resolved', () => {
    const fields = { name: 'A', instruction: 'x' }
    expect(defineAgent(fields).source).toEqual({ kind: 'code', path: 'defineAgent(A)' })
    expect(defineAgent(fields, { folder: '/home/me' }).source.folder).toBe('/home/me')
  })

  it.each<[string, object]>([
    ['an unknown key', { instructions: 'typo' }],
    ['a name with a slash', { name: 'a/b' }],
    ['a name with a control character', { name: 'a\nb' }],
    ['an invalid duration', { limits: { llmTimeout: 'soon' } }],
    ['a limit of zero', { limits: { maxTurns: 0 } }],
    ['an unknown limit', { limits: { maxDept: 3 } }],
    ['an unknown history mode', { historyMode: 'all' }],
    ['an unknown type', { type: 'swarm' }],
    ['a server with a command and an address', { mcpServers: { s: { command: 'x', url: 'https://e.org' } } }],
    ['a server with neither', { mcpServers: { s: { args: [] } } }],
    ['an invalid function tool', { functionTools: [{ name: 'x' }] }],
    ['an invalid agent', { agents: [{ name: 'x' }] }],
    ['a pool of size zero', { acquire: { pool: 0 } }],
  ])('defineAgent rejects %s', (_, fields) => {
    const all = { name: 'A', instruction: 'x', ...fields } as AgentFields & {
      name: string
      instruction: string
    }
    expect(() => defineAgent(all)).toThrow(expect.objectContaining({ code: 'card_bad_value' }))
  })

  it.each([
    [{ instruction: 'x' }, 'card_bad_value'],
    [{ name: 'A' }, 'card_no_instruction'],
    [{ name: 'A', instruction: 'x', version: '1.0' }, 'card_bad_value'],
  ])('defineAgent rejects %o from untyped JavaScript', (fields, code) => {
    expect(() => defineAgent(fields as never)).toThrow(expect.objectContaining({ code }))
  })

  it('defineAgent accepts a composition without a prompt, as a card does', () => {
    const chain = defineAgent({ name: 'C', type: 'chain', sequence: ['A'] } as never)
    expect([chain.type, chain.instruction]).toEqual(['chain', ''])
  })

  it('defineAgent accepts versions as semver defines them', () => {
    for (const version of ['1.4.0', '0.0.0', '2.0.0-beta.1+5e1f'])
      expect(defineAgent({ name: 'A', instruction: 'x', version }).version).toBe(version)
  })

  it(`defineAgent rejects an unknown history mode and names the value ${verifies('B12')}`, () => {
    const fields = { name: 'A', instruction: 'x', historyMode: 'all' } as never
    expect(() => defineAgent(fields)).toThrow(/historyMode/u)
  })
})

describe('defineTool', () => {
  it.each([{}, { name: 'a', description: 'd' }, { name: 'a', execute: () => 1 }])(
    'defineTool rejects %o from untyped JavaScript',
    (fields) => {
      expect(() => defineTool(fields as never)).toThrow(expect.objectContaining({ code: 'usage_invalid' }))
    },
  )

  it(`defineTool returns a tool with a name, a description, a schema and a function ${verifies('C32')}`, async () => {
    expect(add).toMatchObject({
      name: 'add',
      wireName: 'add',
      description: 'Adds two numbers.',
      source: 'function',
      effect: 'once',
      inputSchema: { type: 'object', required: ['a'], properties: { b: { type: 'number', default: 1 } } },
    })
    expect(await add.execute({ a: 2, b: 3 }, NO_CONTEXT)).toBe(5)
    expect(await add.execute({ a: 2 }, NO_CONTEXT)).toBe(3)
  })

  it('defineTool accepts JSON Schema, instructions, an effect, an approval and a time limit', () => {
    const inputSchema = { type: 'object', properties: {} }
    const tool = defineTool({
      name: 'read file',
      description: 'Reads.',
      input: inputSchema,
      instructions: 'Read first.',
      effect: 'read',
      requiresApproval: true,
      timeout: 50,
      execute: () => 'text',
    })
    expect(tool).toMatchObject({
      wireName: 'read_file',
      inputSchema,
      instructions: 'Read first.',
      effect: 'read',
      requiresApproval: true,
      timeoutMs: 50,
    })
  })

  it('a tool without a schema has no arguments', () => {
    const tool = defineTool({ name: 'now', description: 'The time.', execute: () => 1 })
    expect(tool.inputSchema).toEqual({ type: 'object', properties: {}, additionalProperties: false })
  })

  it('defineTool rejects a schema that is not for an object', () => {
    const define = (): unknown =>
      defineTool({ name: 'x', description: 'y', input: { type: 'string' }, execute: () => 1 })
    expect(define).toThrow(expect.objectContaining({ code: 'tool_schema_invalid' }))
    const zod = (): unknown =>
      defineTool({ name: 'x', description: 'y', input: z.string(), execute: () => 1 })
    expect(zod).toThrow(expect.objectContaining({ code: 'tool_schema_invalid' }))
  })
})
