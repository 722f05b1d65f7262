import type { JsonSchema } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { relaxationText } from '../../src/json-schema/index.ts'
import { schemaFromZod, schemaToZod } from '../../src/zod/index.ts'
import { arbitrarySchema, arbitraryValue } from '../json-schema/arbitrary-schema.ts'

/** Fine for the patterns of these tests, which are no stranger's. */
const OPTIONS = { pattern: (pattern: string) => new RegExp(pattern, 'u') }

function toZod(schema: JsonSchema): z.ZodType {
  const { schema: converted, relaxations } = schemaToZod(schema, OPTIONS)
  expect(relaxations).toEqual([])
  return converted
}

const trip: JsonSchema = {
  type: 'object',
  title: 'Trip',
  properties: {
    city: { type: 'string', minLength: 1, maxLength: 3, pattern: '^[A-Z]', description: 'Where to.' },
    nights: { type: 'integer', minimum: 1, exclusiveMaximum: 30 },
    class: { type: 'string', enum: ['first', 'second'] },
    guests: { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
    place: {
      type: 'array',
      items: [{ type: 'number' }, { type: 'number' }],
      additionalItems: false,
      maxItems: 2,
    },
    pay: { oneOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['city', 'nights'],
  additionalProperties: false,
}

describe('JSON Schema and zod', () => {
  it('is the same there and back', () => {
    expect(schemaFromZod(toZod(trip))).toEqual({ schema: trip, relaxations: [] })
  })

  it('takes what the schema takes', () => {
    const check = toZod(trip)
    const good = { city: 'Oslo'.slice(0, 3), nights: 2, guests: ['a', 'b'], place: [1, 2], pay: null }
    expect(check.parse(good)).toEqual(good)
    const wrong = [
      { nights: 1 },
      { city: 'oslo', nights: 1 },
      { city: 'Oslo', nights: 1 },
      { city: 'A', nights: 30 },
      { city: 'A', nights: 1.5 },
      { city: 'A', nights: 1, guests: ['a', 'a'] },
      { city: 'A', nights: 1, place: [1, 2, 3] },
      { city: 'A', nights: 1, more: 1 },
    ]
    expect(wrong.filter((value) => check.safeParse(value).success)).toEqual([])
  })

  it('counts characters as JSON Schema does, and takes whole numbers of any size', () => {
    expect(toZod({ type: 'string', maxLength: 1 }).safeParse('😀').success).toBe(true)
    expect(toZod({ type: 'integer' }).safeParse(1e300).success).toBe(true)
    expect(toZod({ type: 'number', multipleOf: 1e-320 }).safeParse(1).success).toBe(false)
  })

  it('fills in defaults, which are checked as if they were given', () => {
    const check = (preset: string) =>
      toZod({ type: 'object', properties: { a: { type: 'string', maxLength: 2, default: preset } } })
    expect(check('ab').parse({})).toEqual({ a: 'ab' })
    expect(check('abc').safeParse({}).success).toBe(false)
  })

  it('does not take what every object inherits for a property', () => {
    const schema = {
      type: 'object',
      properties: { constructor: { type: 'string' } as const, valueOf: {} },
      required: ['valueOf', 'toString'],
    } satisfies JsonSchema
    const check = toZod(schema)
    expect(check.safeParse({}).success).toBe(false)
    expect(check.safeParse({ valueOf: 1, toString: 2 }).success).toBe(true)
    expect(check.safeParse({ valueOf: 1, toString: 2, constructor: 3 }).success).toBe(false)
    expect(
      Object.getPrototypeOf(check.parse(JSON.parse('{"valueOf":1,"toString":2,"__proto__":{"x":1}}'))),
    ).not.toHaveProperty('x')
  })

  it('follows references, into themselves too', () => {
    const list: JsonSchema = {
      $ref: '#/$defs/node',
      $defs: {
        node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, additionalProperties: false },
      },
    }
    expect(toZod(list).safeParse({ next: { next: {} } }).success).toBe(true)
    expect(toZod(list).safeParse({ next: { last: {} } }).success).toBe(false)
    const { schema } = schemaFromZod(toZod(list))
    expect(toZod(schema).safeParse({ next: { next: {} } }).success).toBe(true)
    expect(toZod(schema).safeParse({ next: { last: {} } }).success).toBe(false)
  })

  it('never runs a pattern by itself, and then does not count how many alternatives fit', () => {
    const schema: JsonSchema = {
      oneOf: [
        { type: 'string', pattern: '^(a+)+$' },
        { type: 'string', enum: ['b'] },
      ],
    }
    const { schema: check, relaxations } = schemaToZod(schema)
    expect(relaxations.map(relaxationText)).toEqual(['pattern of the root, as it is not run'])
    expect(check.safeParse(`${'a'.repeat(40)}!`).success).toBe(true)
    expect(check.safeParse('b').success).toBe(true)
  })

  it('says what of zod JSON cannot say', () => {
    const schema = z.object({
      when: z.date(),
      even: z.number().refine((value) => value % 2 === 0),
      tags: z.array(z.bigint()),
    })
    expect(schemaFromZod(schema).relaxations.map(relaxationText).toSorted()).toEqual([
      'bigint of /tags/*, as JSON has no such values',
      'date of /when, as JSON has no such values',
      'refine of /even, as it is code',
    ])
  })

  it('takes the same values there and back', () => {
    fc.assert(
      fc.property(
        arbitrarySchema,
        fc.array(arbitraryValue, { minLength: 1, maxLength: 8 }),
        (schema, values) => {
          const check = toZod(schema)
          const back = schemaFromZod(check)
          expect(back.relaxations).toEqual([])
          const again = toZod(back.schema)
          const fits = (schema: z.ZodType) => values.filter((value) => schema.safeParse(value).success)
          expect(fits(again)).toEqual(fits(check))
        },
      ),
    )
  })
})
