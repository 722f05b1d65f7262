import { toolResult, type ToolHook } from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, compileCallFilter, type CallFilter } from './call-filter.ts'
import {
  durationOption,
  type DurationInput,
  stockHook,
  type StockHook,
  hookState,
  wait,
} from './stock-hook.ts'

/** Options of {@link rateLimit}. */
export interface RateLimitOptions extends CallFilter {
  /** Maximum number of calls in any window of length `per`. */
  readonly calls: number
  /** Length of the window: ms, or text such as `1m`. */
  readonly per: DurationInput
  /** Counts the calls of one run, or of all runs in the tree that use this hook. Default `run`. */
  readonly scope?: 'run' | 'root'
  /** Makes calls over the limit wait, or refuses them. Default `wait`. */
  readonly whenFull?: 'wait' | 'refuse'
  /** Refuses calls that would have to wait longer. Default 30 s. */
  readonly maxWait?: DurationInput
}

const options = z.strictObject({
  ...callFilterOptions,
  calls: z.int().min(1).max(100_000),
  per: durationOption(1),
  scope: z.enum(['run', 'root']).default('run'),
  whenFull: z.enum(['wait', 'refuse']).default('wait'),
  maxWait: durationOption().default(30_000),
})

/**
 * Limits the number of calls in any window of time. Further calls wait in order or are refused with
 * `hook_rate_limited`. With `retry` as an outer hook, every attempt counts.
 * @example rateLimit({ tools: ['github__*'], calls: 30, per: '1m', scope: 'root' })
 */
export const rateLimit: StockHook<RateLimitOptions> = stockHook(
  'rateLimit',
  options,
  (settings): ToolHook => {
    const concerns = compileCallFilter(settings)
    const stateScope = { owner: settings, scope: settings.scope }
    const maxWaitMs = settings.whenFull === 'refuse' ? 0 : settings.maxWait
    return async function rateLimit(ctx, args, callNext) {
      if (!concerns(ctx)) return callNext(args)
      const now = ctx.clock.monotonic()
      const starts = hookState(ctx, stateScope, (): number[] => [])
      const start = nextStart(starts, { ...settings, now })
      if (start - now > maxWaitMs)
        return toolResult.error('hook_rate_limited', refusal(ctx.toolName, start - now, settings))
      starts.push(start)
      if (start > now && !(await wait(ctx, start - now)))
        return toolResult.error('run_cancelled', `The call to ${ctx.toolName} was cancelled.`)
      return callNext(args)
    }
  },
)

/**
 * Returns when the next call may start, and removes starts that no longer count. Planned starts count too, so
 * that waiting calls keep their order.
 */
function nextStart(
  starts: number[],
  { now, calls, per }: { readonly now: number; readonly calls: number; readonly per: number },
): number {
  while (starts.length > calls) starts.shift()
  const first = starts.length < calls ? undefined : starts[0]
  return first === undefined ? now : Math.max(now, first + per)
}

function refusal(
  tool: string,
  ms: number,
  { calls, per }: { readonly calls: number; readonly per: number },
): string {
  return `${tool}: rate limit of ${calls} calls per ${per} ms reached; the next call is possible in ${Math.ceil(ms)} ms.`
}
