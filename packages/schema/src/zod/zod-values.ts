import type * as z from 'zod/v4'
import { canonicalJson } from '../hash.ts'
import type { Json } from '../json.ts'
import { createKeywordCheck, withChecks, type ZodCheck } from './zod-checks.ts'

/** Values listed by a schema. */
type AllowedValues = {
  readonly enum?: readonly Json[]
  readonly const?: Json
}

/** Restricts a schema to the listed values. */
export function valueToZod(schema: z.ZodType, valued: AllowedValues): z.ZodType {
  return withChecks(schema, valueChecks(valued), valueKeywords(valued))
}

/** Returns `enum` and `const` as checks. */
export function valueChecks({ enum: list, const: one }: AllowedValues): readonly ZodCheck[] {
  return [
    ...(list === undefined ? [] : [createEnumCheck(list)]),
    ...(one === undefined ? [] : [createEnumCheck([one])]),
  ]
}

/** Returns `enum` and `const` as keywords. */
export function valueKeywords({ enum: list, const: one }: AllowedValues): AllowedValues {
  return { ...(list === undefined ? {} : { enum: list }), ...(one === undefined ? {} : { const: one }) }
}

function createEnumCheck(values: readonly Json[]): ZodCheck {
  const known = new Set(values.map(canonicalJson))
  return createKeywordCheck(
    (value: Json) => known.has(canonicalJson(value)),
    `expected one of ${JSON.stringify(values)}`,
  )
}
