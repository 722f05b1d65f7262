import type { Json, JsonObject } from '@troupe/schema'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createValidator } from '../src/index.ts'
import { hostileSchema } from './hostile-schema.ts'

const args = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
  fc.jsonValue() as fc.Arbitrary<Json>,
  { maxKeys: 4 },
) as fc.Arbitrary<JsonObject>

it('validation never throws and never changes schema or arguments', () => {
  const validate = createValidator()
  fc.assert(
    fc.property(hostileSchema, args, (someSchema, someArgs) => {
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

it('validation never throws for an invalid schema or invalid arguments', () => {
  const validate = createValidator()
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (someSchema, someArgs) => {
      expect(typeof validate(someSchema as JsonObject, someArgs as JsonObject).ok).toBe('boolean')
    }),
    { numRuns: 1000 },
  )
})
