import * as z from 'zod/v4'

/** A zod check. It runs only on values that already have the type. */
export type ZodCheck = z.core.$ZodCheck<unknown>

const KEYWORD_CHECKS = new WeakSet<object>()

/**
 * Creates a check for a JSON Schema keyword. It is marked, so that converting back to JSON Schema does not
 * list it as lost.
 */
export function createKeywordCheck(test: (value: never) => boolean, problem: string): ZodCheck {
  const check = z.refine(test as (value: unknown) => boolean, { error: problem })
  KEYWORD_CHECKS.add(check)
  return check
}

/** Returns true for a check that exists only in code. */
export function isCodeOnlyCheck(check: object): boolean {
  return !KEYWORD_CHECKS.has(check)
}

/** Adds checks to a schema, and their keywords as metadata for the conversion back to JSON Schema. */
export function withChecks(
  schema: z.ZodType,
  checks: readonly ZodCheck[],
  keywords: Readonly<Record<string, unknown>>,
): z.ZodType {
  const checked = checks.length === 0 ? schema : schema.check(...checks)
  return Object.keys(keywords).length === 0 ? checked : checked.meta(keywords)
}
