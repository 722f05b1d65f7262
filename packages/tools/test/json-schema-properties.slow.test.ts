import type { Json, JsonObject } from '@troupe/schema'
import { readJsonSchema } from '@troupe/schema/json-schema'
import { schemaToZod } from '@troupe/schema/zod'
import { verifies } from '@troupe/testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLinearPatterns, createValidator, schemaProblem } from '../src/index.ts'
import { hostileSchema } from './hostile-schema.ts'

const scalar = fc.constantFrom<Json>('', 'a', 'b', 'aaa', 0, 1, -1, 0.5, true, null)
/** Names that mean nothing to an object, so that every reader sees the same properties; objects as a parser makes them, which have a prototype. */
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ) as fc.Arbitrary<Json>,
})).value
const values = fc.array(value, { minLength: 1, maxLength: 6 })

const validate = createValidator()

function fits(schema: JsonObject, data: Json): boolean {
  return validate(schema, data).ok
}

/** The form of the union, and whether it says all of what the schema says: defaults are filled in by the validator alone. */
function unionOf(schema: JsonObject): { readonly union: JsonObject; readonly isExact: boolean } | undefined {
  const reading = readJsonSchema(schema)
  if (!reading.ok) return undefined
  const isUsable = schemaProblem(schema) === undefined && !JSON.stringify(schema).includes('"default"')
  return {
    union: reading.schema as unknown as JsonObject,
    isExact: isUsable && reading.relaxations.length === 0,
  }
}

/** Values that the union does not take and the schema does. */
function refusedByUnion(schema: JsonObject, some: readonly Json[]): readonly Json[] {
  const read = unionOf(schema)
  return read === undefined ? [] : some.filter((data) => fits(schema, data) && !fits(read.union, data))
}

/** Values that the union takes and the schema does not, although nothing is said to be lost. */
function takenByUnion(schema: JsonObject, some: readonly Json[]): readonly Json[] {
  const read = unionOf(schema)
  if (read?.isExact !== true) return []
  return some.filter((data) => fits(read.union, data) && !fits(schema, data))
}

/** Values that zod does not take and the schema does. */
function refusedByZod(schema: JsonObject, some: readonly Json[]): readonly Json[] {
  const reading = readJsonSchema(schema)
  if (!reading.ok) return []
  const patterns = createLinearPatterns()
  const zod = schemaToZod(reading.schema, { pattern: (pattern) => patterns.get(pattern) })
  return some.filter((data) => fits(schema, data) && !zod.schema.safeParse(data).success)
}

describe(`conversions of any schema ${verifies('D19')}`, () => {
  it.each([
    ['takes in the form of the union what it took before', refusedByUnion, 500],
    ['takes there nothing else where nothing is said to be lost', takenByUnion, 500],
    ['takes as a schema of zod what it took before', refusedByZod, 300],
  ])('%s', (_what, wrong, numRuns) => {
    fc.assert(
      fc.property(hostileSchema, values, (schema, some) => {
        expect(wrong(schema, some)).toEqual([])
      }),
      { numRuns },
    )
  })
})
