import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json, JsonObject } from '@troupe/schema'
import { settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createValidator } from '../src/index.ts'

const CITY: JsonObject = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2 },
    unit: { enum: ['celsius', 'fahrenheit'], default: 'celsius' },
    days: { type: 'array', items: { type: 'integer' } },
  },
  required: ['city'],
  additionalProperties: false,
}

const validate = createValidator()

function problemsOf(schema: JsonObject, args: JsonObject): readonly string[] {
  const result = validate(schema, args)
  return result.ok ? [] : result.problems
}

describe('validation of arguments', () => {
  it('arguments get the defaults of the schema on a copy', () => {
    const args = Object.freeze({ city: 'Paris' })
    expect(validate(CITY, args)).toEqual({ ok: true, args: { city: 'Paris', unit: 'celsius' } })
    expect(args).toEqual({ city: 'Paris' })
  })

  it('arguments are returned unchanged if the schema has no defaults', () => {
    const args = { a: 1 }
    const result = validate({ type: 'object' }, args)
    expect(result.ok && result.args).toBe(args)
  })

  it('invalid arguments produce one text for each problem, with its path', () => {
    expect(problemsOf(CITY, { city: 1, unit: 'kelvin', days: [1, 'x'], colour: 'red' })).toEqual([
      'must NOT have additional properties: "colour"',
      '/city must be string',
      '/unit must be equal to one of the allowed values: ["celsius","fahrenheit"]',
      '/days/1 must be integer',
    ])
    expect(problemsOf(CITY, {})).toEqual(["must have required property 'city'"])
  })

  it('arguments with many or long problems produce ten short texts', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { list: { type: 'array', items: { enum: ['x'.repeat(1000)] } } },
    }
    const problems = problemsOf(schema, { list: Array.from({ length: 50 }, () => 1) })
    expect(problems).toHaveLength(10)
    expect(Math.max(...problems.map((text) => text.length))).toBeLessThanOrEqual(201)
  })

  it('arguments are validated by own properties only', () => {
    const required = { type: 'object', required: ['constructor', 'toString'] }
    expect(problemsOf(required, {})).toHaveLength(2)
    expect(problemsOf({ type: 'object', properties: { toString: { type: 'string' } } }, {})).toEqual([])
    const hostile = JSON.parse('{"__proto__": {"polluted": true}}') as JsonObject
    expect(validate(CITY, hostile).ok).toBe(false)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('arguments nested 20,000 levels deep are rejected without a crash', () => {
    const tree: JsonObject = { type: 'object', properties: { down: { $ref: '#' } } }
    let deep: JsonObject = {}
    for (let level = 0; level < 20_000; level += 1) deep = { down: deep }
    expect(problemsOf(tree, deep)[0]).toMatch(/cannot be checked/u)
  })
})

describe('compilation of schemas', () => {
  it('a schema is compiled once per object identity', () => {
    let reads = 0
    const schema = {
      get type() {
        reads += 1
        return 'object'
      },
    }
    const own = createValidator()
    own(schema, {})
    const once = reads
    own(schema, {})
    own(schema, {})
    expect(reads).toBe(once)
  })

  it('a schema may use draft-07, with tuples, definitions and unknown formats', () => {
    const schema: JsonObject = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      definitions: {
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
      },
      properties: { pair: { $ref: '#/definitions/pair' }, at: { type: 'string', format: 'stardate' } },
    }
    expect(problemsOf(schema, { pair: ['a', 1], at: 'x' })).toEqual([])
    expect(problemsOf(schema, { pair: [1, 1] })).toEqual(['/pair/0 must be string'])
    expect(problemsOf(schema, { pair: ['a', 1, 2] })).toEqual(['/pair must NOT have more than 2 items'])
  })

  it('a schema may declare one $id or $anchor several times', () => {
    const text: JsonObject = {
      $id: 'https://example.com/s',
      properties: { a: { $ref: '#it' } },
      $defs: { it: { $anchor: 'it', type: 'string' } },
    }
    const number: JsonObject = {
      $id: 'https://example.com/s',
      properties: { a: { $ref: 'https://example.com/s#/$defs/it' } },
      $defs: { it: { $anchor: 'it', type: 'number' } },
    }
    expect(problemsOf(text, { a: 1 })).toEqual(['/a must be string'])
    expect(problemsOf(number, { a: 'x' })).toEqual(['/a must be number'])
  })

  it('a schema that requests an asynchronous check is checked synchronously', () => {
    expect(problemsOf({ $async: true, type: 'object', required: ['a'] }, {})).toHaveLength(1)
  })

  it('a schema with `nullable` but without a type can be used', () => {
    expect(problemsOf({ properties: { a: { nullable: true, enum: ['x'] } } }, { a: 'x' })).toEqual([])
    expect(problemsOf({ properties: { a: { nullable: true, type: 'string' } } }, { a: null })).toEqual([])
  })

  it('a schema that refers to another document is rejected without fetching it', async () => {
    let connections = 0
    const server = createServer()
    server.on('connection', () => (connections += 1))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const problems = problemsOf({ properties: { a: { $ref: `http://127.0.0.1:${port}/s.json` } } }, { a: 1 })
    await settle(20)
    await new Promise((resolve) => void server.close(resolve))
    expect(problems[0]).toMatch(/schema cannot be used: can't resolve reference/u)
    expect(connections).toBe(0)
  })

  const deep = (depth: number): JsonObject => {
    let schema: JsonObject = {}
    for (let level = 1; level < depth; level += 1) schema = { properties: { a: schema } }
    return schema
  }
  const circular: Record<string, Json> = { type: 'object' }
  circular['properties'] = { self: circular }
  const wide: JsonObject = {
    properties: Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`p${index}`, {}])),
  }
  const manyNames: JsonObject = { enum: Array.from({ length: 100_001 }, (_, index) => index) }
  let doubling: JsonObject = { x: 1 }
  for (let level = 0; level < 28; level += 1) doubling = { a: doubling, b: doubling }

  it.each<[string, unknown, RegExp]>([
    ['20,000 levels', deep(20_000), /nested more than 32 levels deep/u],
    ['33 levels', deep(33), /nested more than 32 levels deep/u],
    ['a circle', circular, /nested more than 32 levels deep/u],
    ['20,000 levels of data', { default: deep(20_000) }, /nested more than 32 levels deep/u],
    ['more than 1,000 subschemas', wide, /more than 1000 subschemas/u],
    ['more than 100,000 values', manyNames, /more than 100000 values/u],
    ['data shared 2^28 times', { const: doubling }, /more than 100000 values/u],
    ['an unknown type', { type: 'strnig' }, /type must be JSONType/u],
    ['a subschema that is none', { properties: { a: 5 } }, /"a" is neither an object nor true or false/u],
    ['a keyword of another kind', { minLength: '3' }, /minLength value must be/u],
    ['no object at all', 'text', /not an object/u],
  ])('a schema of %s is rejected as a problem', (_what, schema, problem) => {
    expect(problemsOf(schema as JsonObject, {})[0]).toMatch(problem)
  })

  it('a schema of exactly 32 levels and 1,000 subschemas is accepted', () => {
    expect(problemsOf(deep(32), {})).toEqual([])
    const names = Array.from({ length: 999 }, (_, index) => [`p${index}`, {}])
    expect(problemsOf({ properties: Object.fromEntries(names) as JsonObject }, {})).toEqual([])
  })

  it.each<[string, Json]>([
    ['branches', { anyOf: [{ $ref: '#/$defs/next' }, { $ref: '#/$defs/next' }] }],
    ['data positions', { anyOf: [{ $ref: '#/x/next' }, { $ref: '#/x/next' }] }],
  ])('a schema whose references double at every step through %s exceeds the budget', (_where, start) => {
    const steps: Record<string, Json> = {}
    const place = JSON.stringify(start).includes('$defs') ? '$defs' : 'x'
    for (let step = 0; step < 40; step += 1) {
      const ref = { $ref: `#/${place}/${step === 39 ? 'last' : `s${step + 1}`}` }
      steps[step === 0 ? 'next' : `s${step}`] = { anyOf: [ref, ref] }
    }
    steps['last'] = { type: 'string' }
    expect(problemsOf({ properties: { a: start }, [place]: steps }, { a: 1 })[0]).toMatch(/too much work/u)
  })

  it('a schema that only refers to itself exceeds the budget', () => {
    for (const schema of [{ $ref: '#' }, { allOf: [{ $ref: '#' }] }, { $dynamicRef: '#' }]) {
      expect(problemsOf(schema as JsonObject, {})).toHaveLength(1)
    }
  })
})

describe('patterns of a schema', () => {
  it('a pattern matches anywhere in the text, as JSON Schema specifies', () => {
    const schema = (pattern: string): JsonObject => ({ properties: { a: { type: 'string', pattern } } })
    expect(problemsOf(schema('b+'), { a: 'abbc' })).toEqual([])
    expect(problemsOf(schema('^b+$'), { a: 'abbc' })).toEqual(['/a must match pattern "^b+$"'])
    expect(problemsOf(schema('^\\u0041\\d{2}\\/(?<x>y)$'), { a: 'A12/y' })).toEqual([])
  })

  it.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(x+x+)+y',
    '^([a-zA-Z]+)*$',
    '(.*a){20}$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '^(a?){25}a{25}$',
    '[ab]*a[ab]{400}[cd]',
    '^(\\w+\\s?)*$',
    '^(.*?,){11}P',
  ])('a pattern that makes backtracking engines hang terminates: %s', (pattern) => {
    const schema: JsonObject = { properties: { a: { type: 'string', pattern } } }
    const text = `${'a'.repeat(20_000)}!`
    expect(problemsOf(schema, { a: text })).toEqual([`/a must match pattern "${pattern}"`])
  })

  it.each([
    '(?=a)b',
    '(?<!a)b',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '\\Zb',
    'b'.repeat(513),
    '(?:a{900})(?:a{900})',
    '((a{50}){50}){50}',
    '(',
  ])('a pattern that cannot run in linear time or is too large is dropped: %s', (pattern) => {
    expect(problemsOf({ properties: { a: { pattern } } }, { a: 'zzz' })).toEqual([])
  })

  it('a dropped pattern in patternProperties allows any property', () => {
    const schema: JsonObject = {
      patternProperties: { '^x-': { type: 'number' }, '^(?=s)': { type: 'number' } },
      additionalProperties: false,
    }
    expect(problemsOf(schema, { sly: 'text', other: 'text' })).toEqual([])
    expect(problemsOf(schema, { 'x-1': 'text' })).toEqual(['/x-1 must be number'])
  })

  it('a pattern does not match a text that is too long to be checked in bounded time', () => {
    const schema: JsonObject = { properties: { a: { pattern: '[ab]*a[ab]{400}[cd]?' } } }
    expect(problemsOf(schema, { a: 'a'.repeat(1_000_000) })).toHaveLength(1)
  })

  it('a schema with too many patterns cannot be used', () => {
    const patterns = Array.from({ length: 30 }, (_, index) => ({ pattern: `${index}a{900}` }))
    expect(problemsOf({ properties: { a: { anyOf: patterns } } }, { a: 'a' })[0]).toMatch(
      /patterns are too large/u,
    )
  })
})
