import {
  type Failure,
  type HookContext,
  type ToolEffect,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, concernsOf, type CallFilter } from './call-filter.ts'
import { durationOption, type DurationInput } from './duration-option.ts'
import { effectList } from './effect-option.ts'
import { stockHook, type StockHook } from './stock-hook.ts'
import { wait } from './wait.ts'

/** Options of {@link retry}. */
export interface RetryOptions extends CallFilter {
  /** Calls in all, the first included. Default 3. */
  readonly attempts?: number
  /** Before the second attempt; doubles with each further one. Default 200 ms. */
  readonly delay?: DurationInput
  /** The longest delay. Default 5 s. */
  readonly maxDelay?: DurationInput
  /** `full`: anything between 0 and the delay, so that parallel calls do not come back at once; `none`: exactly the delay. Default `full`. */
  readonly jitter?: 'full' | 'none'
  /** Codes of the failures that are worth another attempt. Default: timeouts, the network, and what a tool or a model reports itself. */
  readonly codes?: readonly string[]
  /** Tools that may be called again. Default `[read, idempotent]`. */
  readonly effects?: readonly ToolEffect[]
}

const options = z.strictObject({
  ...callFilterOptions,
  attempts: z.int().min(2).max(20).default(3),
  delay: durationOption().default(200),
  maxDelay: durationOption().default(5000),
  jitter: z.enum(['full', 'none']).default('full'),
  codes: z.array(z.string().min(1)).min(1).optional(),
  effects: effectList.default(['read', 'idempotent']),
})
type Settings = z.output<typeof options>

const WORTH_ANOTHER: ReadonlySet<Failure['class']> = new Set(['timeout', 'network', 'model', 'tool'])
/** Of these classes, and the same every time. */
const SAME_AGAIN: ReadonlySet<string> = new Set([
  'tool_bad_arguments',
  'tool_unknown',
  'hook_failed',
  'hook_no_result',
  'hook_timeout',
  'child_timeout',
])

/**
 * Calls again what failed, after a delay that grows (R10). Only tools that say they may be repeated, unless `effects` says otherwise; every
 * attempt is told and accounted for by itself.
 * @example retry({ tools: ['github__*'], attempts: 4 })
 */
export const retry: StockHook<RetryOptions> = stockHook('retry', options, (settings): ToolHook => {
  const concerns = concernsOf(settings)
  return async function retry(ctx, args, callNext) {
    if (!concerns(ctx) || !settings.effects.includes(ctx.toolEffect)) return callNext(args)
    for (let attempt = 1; ; attempt += 1) {
      const result = await callNext(args)
      if (attempt === settings.attempts || !isWorthAnother(result, settings)) return result
      const ms = delayAfter(attempt, settings, ctx)
      ctx.log(`${ctx.toolName} failed, attempt ${attempt} of ${settings.attempts}; again in ${ms} ms`)
      if (!(await wait(ctx, ms))) return result
    }
  }
})

function isWorthAnother({ outcome, failure }: ToolResult, { codes }: Settings): boolean {
  if (failure === undefined || outcome === 'denied' || outcome === 'cancelled') return false
  if (codes !== undefined) return codes.includes(failure.code)
  return WORTH_ANOTHER.has(failure.class) && !SAME_AGAIN.has(failure.code)
}

function delayAfter(attempt: number, settings: Settings, { random }: Pick<HookContext, 'random'>): number {
  const ms = Math.min(settings.maxDelay, settings.delay * 2 ** (attempt - 1))
  return Math.round(settings.jitter === 'full' ? ms * random() : ms)
}
