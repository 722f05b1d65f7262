import * as z from 'zod/v4'
import { canonicalJson } from '../hash.ts'
import type { ArraySchema, JsonSchema } from '../json-schema/json-schema.ts'
import type { ZodContext } from './zod-context.ts'
import { createKeywordCheck, withChecks, type ZodCheck } from './zod-checks.ts'

/** Converts an array schema. An array may be shorter than the list of positions. */
export function listToZod(schema: ArraySchema, context: ZodContext): z.ZodType {
  const { items, minItems, maxItems, uniqueItems } = schema
  const plain = isOne(items) ? z.array(context.convert(items)) : positionsToZod(items, schema, context)
  const checks = [
    ...(minItems === undefined ? [] : [lengthCheck((length) => length >= minItems, `at least ${minItems}`)]),
    ...(maxItems === undefined ? [] : [lengthCheck((length) => length <= maxItems, `at most ${maxItems}`)]),
    ...(uniqueItems === true ? [createKeywordCheck(isUnique, 'expected no member twice')] : []),
  ]
  const keywords = {
    ...(minItems === undefined ? {} : { minItems }),
    ...(maxItems === undefined ? {} : { maxItems }),
    ...(uniqueItems === undefined ? {} : { uniqueItems }),
  }
  return withChecks(plain, checks, keywords)
}

function positionsToZod(
  items: readonly JsonSchema[],
  { additionalItems }: ArraySchema,
  { convert }: ZodContext,
): z.ZodType {
  const [first = z.any(), ...others] = items.map((item): z.ZodType => convert(item).optional())
  const positions: [z.ZodType, ...z.ZodType[]] = [first, ...others]
  if (additionalItems === false) return z.tuple(positions)
  const rest = additionalItems === undefined || additionalItems === true ? z.any() : convert(additionalItems)
  return z.tuple(positions, rest)
}

function isOne(items: ArraySchema['items']): items is JsonSchema {
  return !Array.isArray(items)
}

function lengthCheck(test: (length: number) => boolean, wanted: string): ZodCheck {
  return createKeywordCheck((list: readonly unknown[]) => test(list.length), `expected ${wanted} members`)
}

function isUnique(list: readonly unknown[]): boolean {
  return new Set(list.map(canonicalJson)).size === list.length
}
