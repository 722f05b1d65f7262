import type * as z from 'zod/v4'
import { canonicalJson } from '../hash.ts'
import type { Json } from '../json.ts'
import { saidCheck, withChecks, type ZodCheck } from './zod-checks.ts'

/** The values that a schema names. */
type Valued = {
  readonly enum?: readonly Json[]
  readonly const?: Json
}

/** A schema that takes nothing but the values that are named. */
export function valueToZod(schema: z.ZodType, valued: Valued): z.ZodType {
  return withChecks(schema, valueChecks(valued), valueKeywords(valued))
}

/** `enum` and `const` as conditions. */
export function valueChecks({ enum: list, const: one }: Valued): readonly ZodCheck[] {
  return [
    ...(list === undefined ? [] : [oneOfThese(list)]),
    ...(one === undefined ? [] : [oneOfThese([one])]),
  ]
}

/** `enum` and `const` as they are written. */
export function valueKeywords({ enum: list, const: one }: Valued): Valued {
  return { ...(list === undefined ? {} : { enum: list }), ...(one === undefined ? {} : { const: one }) }
}

function oneOfThese(values: readonly Json[]): ZodCheck {
  const known = new Set(values.map(canonicalJson))
  return saidCheck(
    (value: Json) => known.has(canonicalJson(value)),
    `expected one of ${JSON.stringify(values)}`,
  )
}
