import { parseDuration, type ToolEffect } from '@troupe/schema'
import { z } from 'zod'

/** Returns the schema of a duration option, parsed to ms. `least` is the minimum in ms. */
export function durationOption(least = 0): z.ZodType<number, number | string> {
  return z
    .union([z.number(), z.string()], { error: 'must be a number of ms or text such as "200ms" or "5m"' })
    .refine((value) => (parseDuration(value) ?? -1) >= least, {
      error: `must be a number of ms or text such as "200ms" or "5m"${least === 0 ? '' : `, at least ${least} ms`}`,
    })
    .transform((value) => parseDuration(value) ?? 0)
}

/** A duration in options: ms, or text such as `200ms` and `5m`. */
export type DurationInput = number | string

/** Schema of an option that lists tool effects. */
export const effectList: z.ZodType<readonly ToolEffect[]> = z
  .array(z.enum(['read', 'idempotent', 'once'] as const satisfies readonly ToolEffect[]))
  .min(1)
