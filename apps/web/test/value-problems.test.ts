import type { JsonObject } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { readField } from '../src/form/value-field.tsx'
import { valueProblems } from '../src/form/value-problems.ts'
import { valueText } from '../src/ui/format.ts'

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    to: { type: 'string', minLength: 2 },
    seat: { type: 'string', enum: ['window', 'aisle'], default: 'window' },
    nights: { type: 'integer', minimum: 1, maximum: 30 },
    stops: { type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true },
    who: { type: 'object', properties: { age: { type: 'number' } }, required: ['age'] },
  },
  required: ['to', 'seat'],
}

describe('value problems', () => {
  it(`a value problem has the path of its value ${verifies('D44')}`, () => {
    const value = { to: 'O', nights: 0.5, stops: ['a'], who: {}, seat: 'roof' }
    expect(valueProblems(SCHEMA, value)).toEqual([
      { path: '/to', message: 'At least 2 characters.' },
      { path: '/seat', message: 'One of window, aisle.' },
      { path: '/nights', message: 'Enter an integer.' },
      { path: '/stops', message: 'At least 2 items.' },
      { path: '/who/age', message: 'This is required.' },
    ])
  })

  it('a missing value with a default is not a problem', () => {
    expect(valueProblems(SCHEMA, {})).toEqual([{ path: '/to', message: 'This is required.' }])
    expect(valueProblems(SCHEMA, { to: 'Oslo' })).toEqual([])
  })

  it('an item that is invalid or a duplicate is a problem', () => {
    expect(valueProblems(SCHEMA, { to: 'Oslo', stops: ['a', 3] })).toEqual([
      { path: '/stops/1', message: 'Enter a text.' },
    ])
    expect(valueProblems(SCHEMA, { to: 'Oslo', stops: ['a', 'a'] })).toMatchObject([{ path: '/stops' }])
  })

  it('string length counts characters, not UTF-16 units', () => {
    expect(valueProblems({ type: 'string', maxLength: 1 }, '🚢')).toEqual([])
  })
})

describe('form field', () => {
  it('a field returns a value of its type, or the text if it is not valid', () => {
    expect(readField('12', { type: 'integer' })).toBe(12)
    expect(readField('12', { type: 'string' })).toBe('12')
    expect(readField('1e', { type: 'number' })).toBe('1e')
    expect(readField('{"a":1}', {})).toEqual({ a: 1 })
    expect(readField('{"a"', {})).toBe('{"a"')
    expect(readField('', { type: 'string' })).toBeUndefined()
    expect(valueText({ a: 1 })).toBe('{"a":1}')
  })
})
