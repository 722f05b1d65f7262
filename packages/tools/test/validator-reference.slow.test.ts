import type { Json } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLinearPatterns, createValidator, schemaProblem, type LinearPattern } from '../src/index.ts'
import { hostileSchema } from './hostile-schema.ts'

const scalar = fc.constantFrom<Json>('', 'a', 'b', 'aaa', 0, 1, -1, 0.5, true, null)
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ) as fc.Arbitrary<Json>,
}))

/** Keywords and forms for which ajv does not follow draft 2020-12, or that only one of the two supports. */
const LEFT_OUT =
  /"(?:\$recursiveRef|\$dynamicRef|\$async|nullable|definitions|default|additionalItems|__proto__|\$id|\$anchor)"|\(\?|\\\\/u

/** Gives patterns a name, because ajv names a compiled pattern by its text. */
const regExp = Object.assign(
  (source: string) => ({
    test: (text: string) => patternFor(source)?.test(text) ?? true,
    toString: () => source,
  }),
  { code: 'linearPattern' },
)

function patternFor(source: string): LinearPattern | undefined {
  return createLinearPatterns().get(source)
}

function verdictOfAjv(schema: object, data: Json): boolean | undefined {
  try {
    const ajv = new Ajv2020({
      strict: false,
      // without it some failing `contains` are missed
      allErrors: true,
      meta: false,
      validateSchema: false,
      validateFormats: false,
      ownProperties: true,
      logger: false,
      code: { regExp },
    })
    return ajv.compile(schema)(data)
  } catch {
    // ajv does not compile the schema, or follows a reference without end
    return undefined
  }
}

it(`validation agrees with ajv on random schemas and values ${verifies('D19')}`, () => {
  const validate = createValidator()
  let compared = 0
  fc.assert(
    fc.property(hostileSchema, fc.array(value, { minLength: 1, maxLength: 4 }), (schema, some) => {
      fc.pre(isComparable(JSON.stringify(schema)) && isRegular(schema) && schemaProblem(schema) === undefined)
      for (const data of some) {
        const expected = verdictOfAjv(...forAjv(schema, data))
        if (expected === undefined) continue
        compared += 1
        expect(validate(schema, data).ok).toBe(expected)
      }
    }),
    {
      numRuns: 1000,
      // random schemas rarely have positions with a type
      examples: [[{ prefixItems: [{ type: 'string' }], items: false }, [['a'], [1], ['a', 'b']]]],
    },
  )
  expect(compared).toBeGreaterThan(1000)
})

/** Returns false for schemas with `contains` and `unevaluatedItems`: in draft 2020-12 `contains` evaluates matching items, which ajv does not implement. */
function isComparable(text: string): boolean {
  return !LEFT_OUT.test(text) && !(text.includes('"contains"') && text.includes('"unevaluatedItems"'))
}

/**
 * Renames the property `constructor`: with `unevaluatedProperties`, ajv takes a property named like a member of `Object.prototype` for one
 * that has been evaluated.
 */
function forAjv(schema: object, data: Json): readonly [object, Json] {
  const text = JSON.stringify([schema, data])
  return JSON.parse(text.replaceAll('constructor', 'cohstructor')) as [object, Json]
}

/** Returns false for a `required` with members that are not strings and for keywords that an invalid neighbour changes. */
function isRegular(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isRegular)
  if (typeof schema !== 'object' || schema === null) return true
  const { required, items, $schema } = schema as Record<string, unknown>
  if ($schema !== undefined || Array.isArray(items)) return false
  if (Array.isArray(required) && required.some((name) => typeof name !== 'string')) return false
  return Object.values(schema).every(isRegular)
}
