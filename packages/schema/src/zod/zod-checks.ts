import * as z from 'zod/v4'

/** A condition of zod, on values that were found to be of the type before. */
export type ZodCheck = z.core.$ZodCheck<unknown>

const OWN = new WeakSet<object>()

/** A condition that the JSON Schema beside it says, so that nothing of it is lost on the way back. */
export function saidCheck(test: (value: never) => boolean, problem: string): ZodCheck {
  const check = z.refine(test as (value: unknown) => boolean, { error: problem })
  OWN.add(check)
  return check
}

/** True for a condition that only code says. */
export function isUnsaid(check: object): boolean {
  return !OWN.has(check)
}

/** The schema with its conditions, and their keywords for when it becomes JSON Schema again. */
export function withChecks(
  schema: z.ZodType,
  checks: readonly ZodCheck[],
  keywords: Readonly<Record<string, unknown>>,
): z.ZodType {
  const checked = checks.length === 0 ? schema : schema.check(...checks)
  return Object.keys(keywords).length === 0 ? checked : checked.meta(keywords)
}
