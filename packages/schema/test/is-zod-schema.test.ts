import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { defineAgent, defineTool, isZodSchema } from '../src/index.ts'

describe('a zod schema', () => {
  it.each([
    ['of zod', z.object({ a: z.number() })],
    ['of zod/mini', mini.object({ a: mini.number() })],
    ['that is made of others', z.lazy(() => z.string().transform(Number))],
  ])('%s is known as one', (_kind, schema) => {
    expect(isZodSchema(schema)).toBe(true)
  })

  it.each([
    undefined,
    null,
    'text',
    {},
    { _zod: null },
    { _zod: { traits: {} } },
    { _zod: { traits: ['$ZodType', 'ZodType'] } },
    { type: 'object', _def: {} },
  ])('is not %o', (value) => {
    expect(isZodSchema(value)).toBe(false)
  })

  it('of zod/mini describes and checks the arguments of a tool', () => {
    const input = mini.object({ a: mini.number(), b: mini.optional(mini.string()) })
    const tool = defineTool({
      name: 'show',
      description: 'Shows.',
      input: input as unknown as z.ZodType,
      execute: (args) => args,
    })
    expect(tool.inputSchema).toMatchObject({ properties: { a: { type: 'number' } }, required: ['a'] })
    expect(tool.execute({ a: 1, b: 'x' }, undefined as never)).toEqual({ a: 1, b: 'x' })
  })

  it('and a JSON Schema that looks a little like one are both the output of an agent', () => {
    const outputOf = (schema: object) =>
      defineAgent({ name: 'a', instruction: 'b', output: { schema: schema as never } }).output.schema
    expect(outputOf(z.object({ n: z.int() }))).toMatchObject({ properties: { n: { type: 'integer' } } })
    expect(outputOf({ type: 'object', _zod: { traits: {} } })).toEqual({
      type: 'object',
      _zod: { traits: {} },
    })
  })
})
