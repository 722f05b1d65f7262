import type { JsonSchema } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldLabel, formFields, formValues, type FormField } from '../../src/form/index.ts'
import { arbitrarySchema } from '../json-schema/arbitrary-schema.ts'

const FLIGHT: JsonSchema = {
  type: 'object',
  properties: {
    destination: { type: 'string', title: 'Where to', minLength: 1, examples: ['Rome'] },
    departure_date: { type: 'string', format: 'date', description: 'The day.' },
    seats: { type: 'integer', minimum: 0, exclusiveMinimum: 0, maximum: 9, default: 1 },
    class: { anyOf: [{ type: 'string', enum: ['first', 'second'] }, { type: 'null' }] },
    window: { type: 'boolean' },
    guests: { type: 'array', items: { $ref: '#/$defs/guest' }, minItems: 1, uniqueItems: true },
    pay: { oneOf: [{ type: 'string' }, { type: 'object', properties: { card: { type: 'string' } } }] },
    extra: {},
  },
  required: ['destination', 'seats'],
  additionalProperties: false,
  $defs: {
    guest: {
      type: 'object',
      title: 'Guest',
      properties: { name: { type: 'string' }, with: { $ref: '#/$defs/guest' } },
      required: ['name'],
    },
  },
}

function byName(schema: JsonSchema): Readonly<Record<string, FormField>> {
  return Object.fromEntries(formFields(schema).map((field) => [field.name, field]))
}

describe('the form of a schema', () => {
  it('has a field for each property, in order', () => {
    expect(
      formFields(FLIGHT).map(({ name, kind, label, required }) => [name, kind, label, required]),
    ).toEqual([
      ['destination', 'text', 'Where to', true],
      ['departure_date', 'text', 'Departure date', false],
      ['seats', 'number', 'Seats', true],
      ['class', 'choice', 'Class', false],
      ['window', 'switch', 'Window', false],
      ['guests', 'list', 'Guests', false],
      ['pay', 'variant', 'Pay', false],
      ['extra', 'json', 'Extra', false],
    ])
  })

  it('says what each may be', () => {
    expect(byName(FLIGHT)).toMatchObject({
      destination: { minLength: 1, examples: ['Rome'] },
      departure_date: { format: 'date', description: 'The day.' },
      seats: { isInteger: true, minimum: 0, isAboveMinimum: true, maximum: 9, default: 1 },
      class: { options: ['first', 'second'], nullable: true },
      pay: { options: [{ kind: 'text' }, { kind: 'group', isOpen: true }] },
    })
  })

  it('goes into lists, groups and references, and not into what is inside itself', () => {
    expect(byName(FLIGHT)['guests']).toMatchObject({
      minItems: 1,
      isUnique: true,
      item: {
        kind: 'group',
        label: 'Guest',
        fields: [
          { name: 'name', kind: 'text', required: true },
          { name: 'with', kind: 'json' },
        ],
      },
    })
  })

  it('is one form for objects that hold together', () => {
    const both: JsonSchema = {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' }, b: { type: 'null' } } },
        { type: 'object', properties: { a: {}, c: { type: 'number' } }, required: ['a'] },
      ],
    }
    expect(formFields(both)).toMatchObject([
      { name: 'a', kind: 'text', required: true },
      { name: 'b', options: [null] },
      { name: 'c', kind: 'number' },
    ])
  })

  it('is no larger than anybody could fill in', () => {
    const names = Array.from({ length: 40 }, (_, index) => `p${index}`)
    const level = (next: string): JsonSchema => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${next}` }])),
    })
    const schema: JsonSchema = {
      ...level('a'),
      $defs: { a: level('b'), b: level('c'), c: { type: 'string' } },
    }
    expect(JSON.stringify(formFields(schema)).length).toBeLessThan(1_000_000)
  })

  it('begins with defaults and with what can be nothing else', () => {
    const fields = formFields({
      type: 'object',
      properties: {
        kind: { const: 'flight' },
        seats: { type: 'integer', default: 1 },
        to: { type: 'string' },
        tags: { type: 'array', items: {} },
        who: { type: 'object', properties: { age: { type: 'integer', default: 30 } } },
      },
      required: ['kind', 'to', 'tags', 'who'],
    })
    expect(formValues(fields)).toEqual({ kind: 'flight', seats: 1, tags: [], who: { age: 30 } })
  })

  it('can be made of every schema there is, and is data', () => {
    fc.assert(
      fc.property(arbitrarySchema, (schema) => {
        const fields = formFields(schema)
        expect(JSON.parse(JSON.stringify(fields))).toEqual(fields)
        expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length)
        expect(formValues(fields)).toEqual(expect.any(Object))
      }),
    )
  })
})

it.each([
  ['departure_date', 'Departure date'],
  ['departureDate', 'Departure date'],
  ['target-URL', 'Target URL'],
  ['a', 'A'],
  ['_', '_'],
  ['', ''],
])('the name %s reads as %s', (name, label) => {
  expect(fieldLabel(name)).toBe(label)
})
