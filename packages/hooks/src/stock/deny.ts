import { toolResult, type ToolHook } from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, compileCallFilter, type CallFilter } from './call-filter.ts'
import { stockHook, type StockHook } from './stock-hook.ts'

/** Options of {@link deny}. */
export interface DenyOptions extends CallFilter {
  /** Globs of the tools to deny, such as `shell__*`. */
  readonly tools: readonly string[]
  /** The reason given to the model. */
  readonly reason?: string
}

const options = z.strictObject({
  ...callFilterOptions,
  tools: z.array(z.string().min(1)).min(1),
  reason: z.string().min(1).optional(),
})

/**
 * Rejects calls of these tools with `permission_denied`, so that they never run.
 * @example deny({ tools: ['shell.*'], reason: 'This agent only reads.' })
 */
export const deny: StockHook<DenyOptions> = stockHook('deny', options, ({ reason, ...filter }): ToolHook => {
  const concerns = compileCallFilter(filter)
  return function deny(ctx, args, callNext) {
    if (!concerns(ctx)) return callNext(args)
    return toolResult.error('permission_denied', reason ?? `A hook forbids ${ctx.toolName}.`)
  }
})
