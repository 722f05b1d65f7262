import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonSchema, relaxationText, readJsonSchema } from '../../src/json-schema/index.ts'
import { arbitrarySchema } from './arbitrary-schema.ts'

function read(value: unknown): { readonly schema: unknown; readonly relaxations: readonly string[] } {
  const reading = readJsonSchema(value)
  const { schema, relaxations } = reading.ok ? reading : { schema: reading.problem, relaxations: [] }
  return { schema, relaxations: relaxations.map(relaxationText) }
}

describe('a foreign JSON Schema in the form of the union', () => {
  it.each<[string, unknown, unknown]>([
    ['a schema that is true', true, {}],
    ['a schema that is false', false, { not: {} }],
    [
      'a list of types',
      { type: ['string', 'null'], minLength: 1, description: 'Or none.' },
      { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }], description: 'Or none.' },
    ],
    [
      'nullable of OpenAPI',
      { type: 'integer', nullable: true },
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    ],
    [
      'values of several types',
      { type: ['string', 'null'], enum: ['a', null, 7] },
      { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    ],
    ['values without a type', { enum: [1, 'a'] }, { enum: [1, 'a'] }],
    ['a list that does not say of what', { type: 'array' }, { type: 'array', items: {} }],
    [
      'positions of draft 2020-12',
      { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      { type: 'array', items: [{ type: 'string' }], additionalItems: false },
    ],
    [
      'a limit of draft 4',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 1 },
    ],
    [
      'conditions beside alternatives, which take the type around them',
      { type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {
        allOf: [
          { type: 'object', properties: { a: {}, b: {} } },
          {
            anyOf: [
              { type: 'object', required: ['a'] },
              { type: 'object', required: ['b'] },
            ],
          },
        ],
      },
    ],
    [
      'properties without a type, which say nothing of other values',
      { minLength: 2 },
      {
        anyOf: [
          { type: 'string', minLength: 2 },
          { type: 'number' },
          { type: 'boolean' },
          { type: 'null' },
          { type: 'array', items: {} },
          { type: 'object' },
        ],
      },
    ],
    [
      'definitions of older drafts, and only those that are used',
      { $ref: '#/definitions/a%20b', definitions: { 'a b': { type: 'string' }, c: {} } },
      { $ref: '#/$defs/a%20b', $defs: { 'a b': { type: 'string' } } },
    ],
    [
      'references to any place',
      { type: 'object', properties: { a: { type: 'null' }, b: { $ref: '#/properties/a' } } },
      {
        type: 'object',
        properties: { a: { type: 'null' }, b: { $ref: '#/$defs/a' } },
        $defs: { a: { type: 'null' } },
      },
    ],
  ])('reads %s', (_what, value, schema) => {
    expect(read(value)).toEqual({ schema, relaxations: [] })
  })

  it.each<[string, unknown, unknown]>([
    ['if of /a, as there is no simple form of it', { if: {}, type: 'string' }, { type: 'string' }],
    [
      'not of /a, as there is no simple form of it',
      { type: 'string', not: { const: '' } },
      { type: 'string' },
    ],
    ['$ref of /a, as other documents are never fetched', { $ref: 'https://example.com/s' }, {}],
    ['$ref of /a, as it leads to no schema', { $ref: '#/$defs/none' }, {}],
    ['type of /a, as it is no type of JSON Schema', { type: 'strnig' }, {}],
    [
      'minLength of /a, as its value is none that it can have',
      { type: 'string', minLength: -1 },
      { type: 'string' },
    ],
  ])('says that it lost %s', (said, inner, schema) => {
    expect(read({ type: 'object', properties: { a: inner } })).toEqual({
      schema: { type: 'object', properties: { a: schema } },
      relaxations: [said],
    })
  })

  it('takes any other property where it cannot tell which those are', () => {
    expect(
      read({ type: 'object', patternProperties: { '^x': {} }, additionalProperties: false }),
    ).toMatchObject({
      schema: { type: 'object' },
      relaxations: ['patternProperties of the root, as there is no simple form of it'],
    })
  })

  it('does not say "exactly one" of schemas that take more than before', () => {
    const part = { type: 'string', not: { const: 'x' } }
    const here = { oneOf: [part, { const: 'x' }] }
    expect(read(here).schema).toEqual({ anyOf: [{ type: 'string' }, { const: 'x' }] })
    const there = { oneOf: [{ $ref: '#/$defs/part' }, { const: 'x' }], $defs: { part } }
    expect(read(there).schema).toMatchObject({ anyOf: [{ $ref: '#/$defs/part' }, { const: 'x' }] })
  })

  it.each<[string, unknown]>([
    ['is no schema', 'string'],
    ['refers to itself at once', { $ref: '#' }],
    [
      'refers to itself in a circle',
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } },
    ],
    ['is too deep', Array.from({ length: 40 }).reduce<unknown>((items) => ({ type: 'array', items }), {})],
    ['is too large', { anyOf: Array.from({ length: 2000 }, () => ({ type: 'string' })) }],
  ])('refuses one that %s', (_what, value) => {
    expect(readJsonSchema(value)).toMatchObject({ ok: false, problem: expect.any(String) })
  })

  it('follows a schema into itself where there is something between', () => {
    const tree = {
      type: 'object',
      properties: { left: { $ref: '#' }, right: { $ref: '#/$defs/leaf' } },
      $defs: { leaf: { type: 'array', items: { $ref: '#/$defs/leaf' } } },
    }
    expect(read(tree)).toEqual({ schema: tree, relaxations: [] })
  })

  it('does not read the same parts without end', () => {
    const wide = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`p${i}`, { type: 'string' }])),
    }
    const deep = Array.from({ length: 20 }).reduce<object>((inner) => ({ type: 'array', items: inner }), wide)
    const pointers = Array.from({ length: 20 }, (_, depth) => ({
      $ref: `#/$defs/deep${'/items'.repeat(depth)}`,
    }))
    expect(readJsonSchema({ anyOf: pointers, $defs: { deep } }).ok).toBe(true)
  })

  it('keeps names of prototypes as names', () => {
    const schema: unknown = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}',
    )
    const reading = read(schema)
    expect(JSON.stringify(reading.schema)).toBe(JSON.stringify(schema))
    expect(Object.getPrototypeOf((reading.schema as { properties: object }).properties)).toBe(
      Object.prototype,
    )
  })

  it('is itself when it is in that form', () => {
    fc.assert(
      fc.property(arbitrarySchema, (schema) => {
        const once = read(schema).schema
        expect(read(once)).toEqual({ schema: once, relaxations: [] })
        expect(isJsonSchema(once)).toBe(true)
      }),
    )
    expect(isJsonSchema({ type: ['string', 'null'] })).toBe(false)
    expect(isJsonSchema('string')).toBe(false)
  })

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(readJsonSchema(value)).toHaveProperty('ok')
      }),
    )
  })
})
