import type { ToolEffect, ToolHook } from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, compileCallFilter, type CallFilter } from './call-filter.ts'
import { effectList, stockHook, type StockHook } from './stock-hook.ts'

/** Options of {@link approve}. */
export interface ApproveOptions extends CallFilter {
  /** Applies only to tools with one of these effects; `[once]` selects tools that change something. */
  readonly effects?: readonly ToolEffect[]
  /** Shown to the person who decides. */
  readonly reason?: string
}

const options = z.strictObject({
  ...callFilterOptions,
  effects: effectList.optional(),
  reason: z.string().min(1).optional(),
})

/**
 * Requires a person's approval before the tool runs, for the arguments it will run with, like a
 * `permissions.ask` rule. The call is denied if no approver is available, and a rule that denies it still
 * applies.
 * @example approve({ effects: ['once'], reason: 'It cannot be undone.' })
 */
export const approve: StockHook<ApproveOptions> = stockHook(
  'approve',
  options,
  ({ effects, reason, ...filter }): ToolHook => {
    const concerns = compileCallFilter(filter)
    return function approve(ctx, args, callNext) {
      if (concerns(ctx) && (effects === undefined || effects.includes(ctx.toolEffect)))
        ctx.requireApproval(reason)
      return callNext(args)
    }
  },
)
