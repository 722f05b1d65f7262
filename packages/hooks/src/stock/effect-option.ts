import type { ToolEffect } from '@troupe/schema'
import { z } from 'zod'

/** A list of effects of tools. */
export const effectList: z.ZodType<readonly ToolEffect[]> = z
  .array(z.enum(['read', 'idempotent', 'once'] as const satisfies readonly ToolEffect[]))
  .min(1)
