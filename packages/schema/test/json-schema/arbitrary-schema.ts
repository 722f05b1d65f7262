import type { Json, JsonSchema } from '@troupe/schema'
import * as fc from 'fast-check'

const name = fc.constantFrom('a', 'b', 'c', 'constructor', 'toString')
const count = fc.integer({ min: 0, max: 3 })
const word = fc.constantFrom('', 'a', 'ab', '😀', 'abcd')
const number = fc.constantFrom(-1, 0, 0.5, 1, 2, 1e300)
const json = fc.oneof(word, number, fc.boolean(), fc.constant(null)) as fc.Arbitrary<Json>
const values = <Value>(value: fc.Arbitrary<Value>) => fc.uniqueArray(value, { minLength: 1, maxLength: 3 })

/** Values that schemas of the arbitrary below have something to say about. */
export const arbitraryValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    json,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ) as fc.Arbitrary<Json>,
})).value

const strings = {
  minLength: count,
  maxLength: count,
  pattern: fc.constantFrom('^a', 'b$', '[ab]+'),
  format: fc.constantFrom('date', 'email'),
  enum: values(word),
  const: word,
}
const numbers = {
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: fc.constantFrom(0.5, 1, 2),
  enum: values(number),
}
const lists = { minItems: count, maxItems: count, uniqueItems: fc.boolean() }
const sizes = { minProperties: count, maxProperties: count, required: fc.uniqueArray(name, { maxLength: 2 }) }
const notes = { title: fc.constant('Title'), description: fc.constant('Says what it is.') }

/** A schema of the union, of every kind but references. */
export const arbitrarySchema: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const schema = tie('schema')
  const some = fc.array(schema, { minLength: 1, maxLength: 3 })
  const one = (members: Record<string, fc.Arbitrary<unknown>>, required: readonly string[]) =>
    fc.record<Record<string, unknown>>({ ...members, ...notes }, { requiredKeys: [...required] })
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      one({ type: fc.constant('string'), ...strings }, ['type']),
      one({ type: fc.constantFrom('number', 'integer'), ...numbers }, ['type']),
      one({ type: fc.constant('boolean') }, ['type']),
      one({ type: fc.constant('null') }, ['type']),
      one({ enum: values(json) }, ['enum']),
      one({ const: json }, ['const']),
      one({}, []),
      fc.constant({ not: {} }),
      one({ type: fc.constant('array'), items: schema, ...lists }, ['type', 'items']),
      one(
        {
          type: fc.constant('array'),
          items: some,
          additionalItems: fc.oneof(fc.boolean(), schema),
          ...lists,
        },
        ['type', 'items'],
      ),
      one(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(name, schema, { maxKeys: 3 }),
          additionalProperties: fc.boolean(),
          ...sizes,
        },
        ['type', 'properties'],
      ),
      one({ anyOf: some }, ['anyOf']),
      one({ oneOf: some }, ['oneOf']),
      one({ allOf: some }, ['allOf']),
    ) as fc.Arbitrary<JsonSchema>,
  }
}).schema
