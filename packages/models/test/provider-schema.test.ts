import type { JsonObject } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { providerSchema } from '../src/structured/answer-form.ts'

const PLACE: JsonObject = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2 },
    tags: { type: 'array', items: { type: 'string', maxLength: 9 }, uniqueItems: true },
    kind: { oneOf: [{ const: 'town' }, { const: 'village' }] },
  },
  required: ['city', 'tags', 'kind'],
}

describe('the schema of an answer for a provider', () => {
  it('the schema of an answer is closed for OpenAI and loses what strict mode refuses, with a note', () => {
    expect(providerSchema('openai', PLACE)).toEqual({
      strict: true,
      schema: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
          kind: { anyOf: [{ const: 'town' }, { const: 'village' }] },
        },
        required: ['city', 'tags', 'kind'],
        additionalProperties: false,
      },
      relaxations: [
        { path: '/city', keyword: 'minLength', why: 'strict mode does not support it' },
        { path: '/tags', keyword: 'uniqueItems', why: 'strict mode does not support it' },
        { path: '/tags/*', keyword: 'maxLength', why: 'strict mode does not support it' },
      ],
    })
  })

  it.each<[string, JsonObject]>([
    ['/note is optional', { type: 'object', properties: { note: { type: 'string' } } }],
    ['the root is an object with arbitrary properties', { type: 'object' }],
    [
      'the root allows additional properties',
      { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    ],
    [
      '/a has patternProperties',
      {
        type: 'object',
        properties: { a: { type: 'object', properties: {}, patternProperties: {} } },
        required: ['a'],
      },
    ],
  ])('the schema of an answer is sent to OpenAI complete and not strict if %s', (reason, schema) => {
    expect(providerSchema('openai', schema)).toEqual({
      strict: false,
      schema,
      relaxations: [{ path: '', keyword: 'strict', why: reason }],
    })
  })

  it('the schema of an answer is unchanged for others, with a note of what they do not enforce', () => {
    const why = 'it is not enforced'
    const anthropic = providerSchema('anthropic', PLACE)
    expect(anthropic.relaxations).toContainEqual({ path: '/city', keyword: 'minLength', why })
    expect(anthropic.schema).toBe(PLACE)
    const google = providerSchema('google', PLACE)
    expect(google.relaxations).toContainEqual({ path: '/tags', keyword: 'uniqueItems', why })
    expect(providerSchema('ollama', PLACE)).toEqual({ schema: PLACE, strict: true, relaxations: [] })
  })

  it('the schema of an answer is never edited in place', () => {
    const before = JSON.stringify(PLACE)
    providerSchema('openai', PLACE)
    expect(JSON.stringify(PLACE)).toBe(before)
  })
})
