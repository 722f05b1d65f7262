import { defineAgent, defineTool, isStandardSchema, type StandardSchema } from '@troupe/schema'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

const ctx = {} as never

/** A schema as another library of the specification returns it, without zod. */
const upperText: StandardSchema<{ word: string }, { word: string }> = {
  '~standard': {
    version: 1,
    vendor: 'other',
    validate: async (value) => {
      const { word } = value as { readonly word: unknown }
      return typeof word === 'string'
        ? { value: { word: word.toUpperCase() } }
        : { issues: [{ message: 'must be text', path: ['word'] }] }
    },
    jsonSchema: { input: () => ({ type: 'object', properties: { word: { type: 'string' } } }) },
  },
}

describe('a schema of a library', () => {
  it('a zod schema types the arguments of a tool by its output', () => {
    const tool = defineTool({
      name: 'add',
      description: 'Adds.',
      input: z.object({ a: z.number(), b: z.number().default(2) }),
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ a: number; b: number }>()
        return args.a + args.b
      },
    })
    expect(tool.execute({ a: 1 }, ctx)).toBe(3)
    expect(tool.inputSchema).toMatchObject({ type: 'object', required: ['a'] })
  })

  it('a schema of another library types the arguments of a tool, and may validate asynchronously', async () => {
    const tool = defineTool({
      name: 'shout',
      description: 'Shouts.',
      input: upperText,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ word: string }>()
        return args.word
      },
    })
    expect(tool.inputSchema).toEqual({ type: 'object', properties: { word: { type: 'string' } } })
    expect(await tool.execute({ word: 'hi' }, ctx)).toBe('HI')
    await expect(Promise.resolve(tool.execute({ word: 1 }, ctx))).rejects.toMatchObject({
      code: 'tool_bad_arguments',
      message: 'The arguments do not match the schema: word: must be text',
    })
  })

  it('a schema of a library becomes the JSON Schema of an agent', () => {
    const agent = defineAgent({ name: 'A', instruction: 'x', input: { schema: upperText } })
    expect(agent.input).toEqual({
      format: 'json',
      schema: { type: 'object', properties: { word: { type: 'string' } } },
    })
  })

  it('a schema without a JSON Schema is rejected with the name of its library', () => {
    const { jsonSchema: _, ...standard } = upperText['~standard']
    expect(() =>
      defineAgent({ name: 'A', instruction: 'x', output: { schema: { '~standard': standard } } }),
    ).toThrow(expect.objectContaining({ code: 'invalid_schema', message: expect.stringContaining('other') }))
  })

  it('a schema of a library cannot be confused with the content of a file', () => {
    expect(isStandardSchema(z.string())).toBe(true)
    for (const value of [null, 'x', {}, { '~standard': { version: 1, vendor: 'x' } }])
      expect(isStandardSchema(value)).toBe(false)
  })
})
