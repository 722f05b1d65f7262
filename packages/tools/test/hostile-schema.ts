import type { Json, JsonObject } from '@troupe/schema'
import * as fc from 'fast-check'

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

/** Keywords with values of their type, and occasionally of another type. */
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

/** Schemas of any keywords in any combination, most of them meaningful. */
export const hostileSchema: fc.Arbitrary<JsonObject> = schema
