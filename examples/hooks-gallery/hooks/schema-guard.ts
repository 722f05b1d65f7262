import { resultText, toolResult, type ToolHook } from '@troupe/schema'
import { z } from 'zod'

const ORDER = z.strictObject({
  number: z.string(),
  customer: z.string(),
  email: z.string(),
  total: z.number(),
})

/** Replaces the result of `findOrder` by an error if it does not have the expected form. */
export const guardOrders: ToolHook = async (ctx, args, callNext) => {
  const result = await callNext(args)
  if (ctx.toolName !== 'findOrder' || result.outcome !== 'completed') return result
  const { success, error } = z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(ORDER)
    .safeParse(resultText(result))
  if (success) return result
  return toolResult.error('tool_failed', `The service returned an invalid order: ${z.prettifyError(error)}`)
}
