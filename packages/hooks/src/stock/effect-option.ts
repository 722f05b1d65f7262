import type { ToolEffect } from '@troupe/schema'
import { z } from 'zod'

/** Schema of an option that lists tool effects. */
export const effectList: z.ZodType<readonly ToolEffect[]> = z
  .array(z.enum(['read', 'idempotent', 'once'] as const satisfies readonly ToolEffect[]))
  .min(1)
