import {
  defineAgent,
  type AgentTool,
  type ArraySchema,
  type BooleanSchema,
  type JsonSchema,
  type NumericSchema,
  type ObjectSchema,
  type StringSchema,
  type ToolInputSchema,
} from '@troupe/schema'
import type * as schema from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, expectTypeOf, it } from 'vitest'

// what a compiler proves is proven by `tsc`, which reads this file too: each `@ts-expect-error` fails when there is none

const city = {
  type: 'string',
  title: 'City',
  description: 'Where to.',
  enum: ['Rome', 'Oslo'],
  default: 'Rome',
  examples: ['Oslo'],
  minLength: 1,
  maxLength: 40,
} satisfies StringSchema
const nights = {
  type: 'integer',
  enum: [1, 2],
  default: 1,
  examples: [2],
  minimum: 1,
  maximum: 30,
} satisfies NumericSchema
const price = { type: 'number', description: 'In EUR.', minimum: 0.5 } satisfies NumericSchema
const breakfast = { type: 'boolean', title: 'Breakfast', default: true } satisfies BooleanSchema
const guests = {
  type: 'array',
  items: city,
  minItems: 1,
  maxItems: 4,
  uniqueItems: true,
} satisfies ArraySchema
const position = { type: 'array', items: [price, price] } satisfies ArraySchema
const trip = {
  type: 'object',
  description: 'A trip.',
  properties: { city, nights, price, breakfast, guests, position },
  required: ['city'],
  additionalProperties: price,
  minProperties: 1,
  maxProperties: 9,
} satisfies ObjectSchema

describe('the schema of tool parameters', () => {
  it(`the schema of tool parameters is one union discriminated by type ${verifies('D10')}`, () => {
    const describeSchema = (schema: JsonSchema): string => {
      switch (schema.type) {
        case 'string':
          return `text of at most ${schema.maxLength}`
        case 'number':
        case 'integer':
          return `at least ${schema.minimum}`
        case 'boolean':
          return `${schema.default}`
        case 'array':
          return `at most ${schema.maxItems}`
        case 'object':
          return Object.keys(schema.properties ?? {}).join(' ')
        default:
          return 'anything'
      }
    }
    expect([city, nights, price, breakfast, guests, trip].map(describeSchema)).toEqual([
      'text of at most 40',
      'at least 1',
      'at least 0.5',
      'true',
      'at most 4',
      'city nights price breakfast guests position',
    ])
    // @ts-expect-error -- there is no such type
    expect({ type: 'date' } satisfies JsonSchema).toBeDefined()
  })

  it(`the schema of tool parameters has a title and a description everywhere ${verifies('D11')}`, () => {
    expectTypeOf<JsonSchema['title']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<JsonSchema['description']>().toEqualTypeOf<string | undefined>()
    expect([city.title, breakfast.title, trip.description]).toEqual(['City', 'Breakfast', 'A trip.'])
  })

  it(`the schema of tool parameters has strings with string values ${verifies('D10', 'D12')}`, () => {
    expectTypeOf<StringSchema['enum']>().toEqualTypeOf<readonly string[] | undefined>()
    expectTypeOf<StringSchema['examples']>().toEqualTypeOf<readonly string[] | undefined>()
    // @ts-expect-error -- a default of text is text
    expect({ type: 'string', default: 1 } satisfies StringSchema).toBeDefined()
    // @ts-expect-error -- text has a length, not a minimum
    expect({ type: 'string', minimum: 1 } satisfies StringSchema).toBeDefined()
  })

  it(`the schema of tool parameters has numbers and integers with numeric values ${verifies('D10', 'D13')}`, () => {
    expectTypeOf<NumericSchema['type']>().toEqualTypeOf<'number' | 'integer'>()
    expectTypeOf<NumericSchema['enum']>().toEqualTypeOf<readonly number[] | undefined>()
    // @ts-expect-error -- an example of a number is a number
    expect({ type: 'number', examples: ['one'] } satisfies NumericSchema).toBeDefined()
  })

  it(`the schema of tool parameters has booleans ${verifies('D14')}`, () => {
    expectTypeOf<BooleanSchema['default']>().toEqualTypeOf<boolean | undefined>()
    // @ts-expect-error -- "yes" is not a truth value
    expect({ type: 'boolean', default: 'yes' } satisfies BooleanSchema).toBeDefined()
  })

  it(`the schema of tool parameters has lists with one item type or one per position ${verifies('D15')}`, () => {
    expect([guests.items.type, position.items.map((item) => item.type)]).toEqual([
      'string',
      ['number', 'number'],
    ])
    // @ts-expect-error -- a list says what it holds
    expect({ type: 'array' } satisfies ArraySchema).toBeDefined()
  })

  it(`the schema of tool parameters has objects with their properties ${verifies('D16')}`, () => {
    expectTypeOf<ObjectSchema['additionalProperties']>().toEqualTypeOf<boolean | JsonSchema | undefined>()
    expect({ type: 'object', additionalProperties: false } satisfies ObjectSchema).toBeDefined()
    // @ts-expect-error -- a property is a schema
    expect({ type: 'object', properties: { city: 'string' } } satisfies ObjectSchema).toBeDefined()
  })

  it(`the schema of tool parameters is discriminated by type for importers of the schema package ${verifies('D10', 'D18')}`, () => {
    type Of<Type> = Extract<JsonSchema, { readonly type: Type }>
    expectTypeOf<Of<'string'>>().toEqualTypeOf<StringSchema>()
    expectTypeOf<Of<'number' | 'integer'>>().toEqualTypeOf<NumericSchema>()
    expectTypeOf<Of<'boolean'>>().toEqualTypeOf<BooleanSchema>()
    expectTypeOf<Of<'array'>>().toEqualTypeOf<ArraySchema>()
    expectTypeOf<Of<'object'>>().toEqualTypeOf<ObjectSchema>()
    expectTypeOf<AgentTool['parameters']>().toEqualTypeOf<ToolInputSchema>()
    // the name is used here and not above, so that a missing export is an error of this test
    expectTypeOf<schema.ToolInputSchema>().toEqualTypeOf<ObjectSchema>()
    expectTypeOf<schema.JsonSchema>().toEqualTypeOf<JsonSchema>()
    const defaultOf = (schema: JsonSchema): unknown => {
      switch (schema.type) {
        case 'string':
          expectTypeOf(schema.default).toEqualTypeOf<string | undefined>()
          return schema.default
        case 'number':
        case 'integer':
          expectTypeOf(schema.default).toEqualTypeOf<number | undefined>()
          return schema.default
        case 'boolean':
          expectTypeOf(schema.default).toEqualTypeOf<boolean | undefined>()
          return schema.default
        default:
          return undefined
      }
    }
    expect([city, nights, breakfast, trip].map(defaultOf)).toEqual(['Rome', 1, true, undefined])
  })

  it(`the schema of tool parameters has an object at its root ${verifies('D17')}`, () => {
    expectTypeOf<ToolInputSchema>().toEqualTypeOf<ObjectSchema>()
    const define = (parameters: ToolInputSchema): unknown =>
      defineAgent({
        name: 'Travel',
        instruction: 'Book.',
        exports: { tools: [{ name: 'book', description: 'Books.', parameters, prompt: 'Book {city}.' }] },
      })
    expect(define(trip)).toMatchObject({ exports: { tools: [{ parameters: trip }] } })
    // @ts-expect-error -- a string schema is not an object schema
    expect(() => define(city)).toThrow(expect.objectContaining({ code: 'card_bad_value' }))
  })
})
