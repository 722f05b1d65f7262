import type { Json, JsonObject } from '@troupe/schema'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createValidator } from '../src/index.ts'

const name = fc.constantFrom('a', 'b', '^a', '__proto__', 'constructor')
const type = fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'boolean', 'null', 'strnig')
const reference = fc.constantFrom(
  '#',
  '#/properties/a',
  '#/$defs/a',
  '#/default',
  '#a',
  'https://example.com/s',
  'a',
)
const pattern = fc.oneof(
  fc.constantFrom('(a+)+$', '(?=a)', '^a', '.*', '\\Z', '('),
  fc.string({ maxLength: 6 }),
)
const count = fc.oneof(fc.integer({ min: -1, max: 4 }), fc.constantFrom(0.1, 2 ** 60))
const json = fc.jsonValue() as fc.Arbitrary<Json>

/** Keywords by what their value should be; now and then it is something else. */
const { schema } = fc.letrec<{ schema: JsonObject; any: Json; member: readonly [string, Json] }>((tie) => {
  const keys = (keywords: string) => fc.constantFrom(...keywords.split(' '))
  const list = fc.array(tie('any'), { minLength: 1, maxLength: 3 })
  const map = fc.dictionary(name, tie('any'), { maxKeys: 3 })
  return {
    any: fc.oneof({ depthSize: 'small' }, fc.boolean(), tie('schema')),
    member: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.tuple(
          keys('properties $defs definitions patternProperties dependentSchemas dependencies'),
          map,
        ),
      },
      { weight: 3, arbitrary: fc.tuple(keys('allOf anyOf oneOf prefixItems items'), list) },
      {
        weight: 3,
        arbitrary: fc.tuple(
          keys(
            'not if then else items contains additionalProperties propertyNames unevaluatedProperties unevaluatedItems additionalItems',
          ),
          tie('any'),
        ),
      },
      { weight: 4, arbitrary: fc.tuple(keys('type'), type) },
      { weight: 2, arbitrary: fc.tuple(keys('$ref $dynamicRef $recursiveRef $id $schema'), reference) },
      fc.tuple(keys('$anchor $dynamicAnchor format'), name),
      { weight: 2, arbitrary: fc.tuple(keys('pattern'), pattern) },
      {
        weight: 2,
        arbitrary: fc.tuple(
          keys('minLength maxLength minimum maximum multipleOf minItems maxItems minContains'),
          count,
        ),
      },
      { weight: 2, arbitrary: fc.tuple(keys('required'), fc.uniqueArray(name)) },
      fc.tuple(keys('enum'), fc.array(json, { minLength: 1, maxLength: 3 })),
      { weight: 3, arbitrary: fc.tuple(keys('const default examples x-unknown'), json) },
      fc.tuple(keys('nullable uniqueItems $async'), fc.boolean()),
      fc.tuple(
        keys(
          'properties allOf not type $ref $id pattern required enum minLength dependencies $anchor __proto__',
        ),
        json,
      ),
    ) as fc.Arbitrary<readonly [string, Json]>,
    schema: fc.array(tie('member'), { maxLength: 5 }).map((members) => Object.fromEntries(members)),
  }
})

const args = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
  fc.jsonValue() as fc.Arbitrary<Json>,
  { maxKeys: 4 },
) as fc.Arbitrary<JsonObject>

it('never throws and never changes schema or arguments', () => {
  const validate = createValidator()
  fc.assert(
    fc.property(schema, args, (someSchema, someArgs) => {
      const before = JSON.stringify([someSchema, someArgs])
      const result = validate(someSchema, someArgs)
      expect(JSON.stringify([someSchema, someArgs])).toBe(before)
      expect(result.ok ? [] : result.problems.filter((text) => text === '')).toEqual([])
      expect(validate(someSchema, someArgs)).toEqual(result)
    }),
    { numRuns: 2000 },
  )
  expect(Object.keys(Object.prototype)).toEqual([])
})

it('never throws on what is no schema or no arguments', () => {
  const validate = createValidator()
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (someSchema, someArgs) => {
      expect(typeof validate(someSchema as JsonObject, someArgs as JsonObject).ok).toBe('boolean')
    }),
    { numRuns: 1000 },
  )
})
