import type { JsonObject } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findSchemaProblem } from '../src/index.ts'

describe('findSchemaProblem', () => {
  it.each<[string, JsonObject]>([
    ['a property that refers to the root', { properties: { left: { $ref: '#' } } }],
    [
      'an item that refers to the schema of its list',
      { $ref: '#/$defs/leaf', $defs: { leaf: { type: 'array', items: { $ref: '#/$defs/leaf' } } } },
    ],
    [
      'a reference to another property',
      { properties: { a: { type: 'null' }, b: { $ref: '#/properties/a' } } },
    ],
    [
      'the same definition in two alternatives',
      { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], $defs: { a: {} } },
    ],
    ['an unused definition that refers to itself', { $defs: { a: { $ref: '#/$defs/a' } } }],
    ['a reference to another document', { $ref: 'https://example.com/schema' }],
    [
      'a reference that is resolved against a nested `$id`',
      { anyOf: [{ $id: 'https://e.org/a', $ref: '#' }] },
    ],
    ['a name with malformed percent encoding', { $ref: '#/$defs/%' }],
  ])('findSchemaProblem finds no problem in a schema with %s', (_what, schema) => {
    expect(findSchemaProblem(schema)).toBeUndefined()
  })

  it.each<[string, JsonObject, string]>([
    ['to itself', { $ref: '#' }, '#'],
    ['to the root from an alternative', { anyOf: [{ type: 'string' }, { $ref: '#' }] }, '#'],
    [
      'in a circle',
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } },
      '#/$defs/a',
    ],
    [
      'to a member of the alternatives that it is in',
      { oneOf: [{ allOf: [{ $ref: '#/oneOf/0' }] }] },
      '#/oneOf/0',
    ],
    [
      'in a circle below a property',
      {
        properties: { x: { $ref: '#/definitions/a%20b' } },
        definitions: { 'a b': { $ref: '#/definitions/a%20b' } },
      },
      '#/definitions/a%20b',
    ],
  ])('findSchemaProblem reports a reference that leads %s', (_what, schema, reference) => {
    expect(findSchemaProblem(schema)).toBe(`${reference} refers to itself endlessly`)
  })

  it.each<[string, unknown, RegExp]>([
    ['is not a schema', 'string', /neither an object nor true or false/u],
    [
      'is nested too deeply',
      Array.from({ length: 40 }).reduce<unknown>((items) => ({ type: 'array', items }), {}),
      /more than 32 levels deep/u,
    ],
    ['is too large', { anyOf: Array.from({ length: 2000 }, () => ({ type: 'string' })) }, /more than 1000/u],
  ])('findSchemaProblem rejects a value that %s', (_what, value, problem) => {
    expect(findSchemaProblem(value)).toMatch(problem)
  })

  it('findSchemaProblem follows every reference of a long chain once', () => {
    const names = Array.from({ length: 900 }, (_, index) => `d${index}`)
    const chain = names.map((name, index) => [
      name,
      { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 2}` }] },
    ])
    expect(
      findSchemaProblem({ $ref: '#/$defs/d0', $defs: Object.fromEntries(chain.slice(0, 330)) }),
    ).toBeUndefined()
  })

  it('findSchemaProblem never throws, whatever its argument', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(['string', 'undefined']).toContain(typeof findSchemaProblem(value))
      }),
    )
  })
})
