import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { defineAgent, defineTool, isStandardSchema } from '../src/index.ts'

describe('a zod schema', () => {
  it.each([
    ['of zod', z.object({ a: z.number() })],
    ['of zod/mini', mini.object({ a: mini.number() })],
    ['that is made of others', z.lazy(() => z.string().transform(Number))],
  ])('%s is recognized as a zod schema', (_kind, schema) => {
    expect(isStandardSchema(schema)).toBe(true)
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
  ])('%o is not recognized as a zod schema', (value) => {
    expect(isStandardSchema(value)).toBe(false)
  })

  it('a schema of zod/mini describes and validates the arguments of a tool', () => {
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

  it('a zod schema and a JSON Schema that resembles one both work as the output of an agent', () => {
    const outputOf = (schema: object) =>
      defineAgent({ name: 'a', instruction: 'b', output: { schema: schema as never } }).output.schema
    expect(outputOf(z.object({ n: z.int() }))).toMatchObject({ properties: { n: { type: 'integer' } } })
    expect(outputOf({ type: 'object', _zod: { traits: {} } })).toEqual({
      type: 'object',
      _zod: { traits: {} },
    })
  })
})
