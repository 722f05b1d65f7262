import type * as z from 'zod/v4'
import { canonicalJson } from '../hash.ts'
import type { Json } from '../json.ts'
import { saidCheck, withChecks, type ZodCheck } from './zod-checks.ts'

/** Values listed by a schema. */
type Valued = {
  readonly enum?: readonly Json[]
  readonly const?: Json
}

/** Restricts a schema to the listed values. */
export function valueToZod(schema: z.ZodType, valued: Valued): z.ZodType {
  return withChecks(schema, valueChecks(valued), valueKeywords(valued))
}

/** Returns `enum` and `const` as checks. */
export function valueChecks({ enum: list, const: one }: Valued): readonly ZodCheck[] {
  return [
    ...(list === undefined ? [] : [oneOfThese(list)]),
    ...(one === undefined ? [] : [oneOfThese([one])]),
  ]
}

/** Returns `enum` and `const` as keywords. */
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
