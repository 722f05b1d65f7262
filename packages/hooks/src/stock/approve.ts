import type { ToolEffect, ToolHook } from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, concernsOf, type CallFilter } from './call-filter.ts'
import { effectList } from './effect-option.ts'
import { stockHook, type StockHook } from './stock-hook.ts'

/** Options of {@link approve}. */
export interface ApproveOptions extends CallFilter {
  /** Only tools with such an effect; `[once]` are those that change something. */
  readonly effects?: readonly ToolEffect[]
  /** What the person who is asked reads. */
  readonly reason?: string
}

const options = z.strictObject({
  ...callFilterOptions,
  effects: effectList.optional(),
  reason: z.string().min(1).optional(),
})

/**
 * Has a person asked before the tool runs, on the arguments that will really run, like a rule of `permissions.ask`: where nobody can be
 * asked the call is denied, and what a rule denies stays denied (R16).
 * @example approve({ effects: ['once'], reason: 'It cannot be undone.' })
 */
export const approve: StockHook<ApproveOptions> = stockHook(
  'approve',
  options,
  ({ effects, reason, ...filter }): ToolHook => {
    const concerns = concernsOf(filter)
    return function approve(ctx, args, callNext) {
      if (concerns(ctx) && (effects === undefined || effects.includes(ctx.toolEffect)))
        ctx.requireApproval(reason)
      return callNext(args)
    }
  },
)
