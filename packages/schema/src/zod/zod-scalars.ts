import * as z from 'zod/v4'
import type { NumericSchema, StringSchema } from '../json-schema/json-schema.ts'
import type { ZodContext } from './zod-context.ts'
import { createKeywordCheck, withChecks, type ZodCheck } from './zod-checks.ts'
import { valueChecks, valueKeywords } from './zod-values.ts'

/**
 * Converts a string schema. Lengths are in characters, unlike in zod, and patterns run in the given engine.
 */
export function textToZod(schema: StringSchema, { pattern: engine }: ZodContext): z.ZodType {
  const { minLength, maxLength, pattern, format } = schema
  const linear = pattern === undefined ? undefined : engine?.(pattern)
  const checks = [
    ...valueChecks(schema),
    ...(minLength === undefined
      ? []
      : [lengthCheck((length) => length >= minLength, `at least ${minLength}`)]),
    ...(maxLength === undefined
      ? []
      : [lengthCheck((length) => length <= maxLength, `at most ${maxLength}`)]),
    ...(linear === undefined
      ? []
      : [createKeywordCheck((text: string) => linear.test(text), `expected to match ${pattern}`)]),
  ]
  const keywords = definedMembers({ minLength, maxLength, pattern, format })
  return withChecks(z.string(), checks, { ...valueKeywords(schema), ...keywords })
}

function lengthCheck(test: (length: number) => boolean, wanted: string): ZodCheck {
  return createKeywordCheck((text: string) => test(countCharacters(text)), `expected ${wanted} characters`)
}

function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/**
 * Converts a number schema. Integers may exceed zod's safe range, and `multipleOf` has no tolerance, as in
 * JSON Schema.
 */
export function numberToZod(schema: NumericSchema): z.ZodType {
  const { type, multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const limits: readonly (readonly [
    number | undefined,
    (value: number, limit: number) => boolean,
    string,
  ])[] = [
    [minimum, (value, limit) => value >= limit, 'at least'],
    [maximum, (value, limit) => value <= limit, 'at most'],
    [exclusiveMinimum, (value, limit) => value > limit, 'more than'],
    [exclusiveMaximum, (value, limit) => value < limit, 'less than'],
    [multipleOf, (value, step) => Number.isInteger(value / step), 'a multiple of'],
  ]
  const checks = [
    ...(type === 'integer'
      ? [createKeywordCheck((value: number) => Number.isInteger(value), 'expected a whole number')]
      : []),
    ...valueChecks(schema),
    ...limits.flatMap(([limit, test, wanted]) =>
      limit === undefined
        ? []
        : [createKeywordCheck((value: number) => test(value, limit), `expected ${wanted} ${limit}`)],
    ),
  ]
  const keywords = definedMembers({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf })
  const integerType = type === 'integer' ? { type } : {}
  return withChecks(z.number(), checks, { ...integerType, ...valueKeywords(schema), ...keywords })
}

function definedMembers(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
