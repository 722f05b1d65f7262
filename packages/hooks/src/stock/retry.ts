import type { Failure, HookContext, ToolEffect, ToolHook, ToolResult } from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, compileCallFilter, type CallFilter } from './call-filter.ts'
import {
  durationOption,
  effectList,
  type DurationInput,
  stockHook,
  type StockHook,
  wait,
} from './stock-hook.ts'

/** Options of {@link retry}. */
export interface RetryOptions extends CallFilter {
  /** Maximum number of calls, including the first. Default 3. */
  readonly attempts?: number
  /** Delay before the second attempt; doubles with each further one. Default 200 ms. */
  readonly delay?: DurationInput
  /** Maximum delay. Default 5 s. */
  readonly maxDelay?: DurationInput
  /**
   * `full` picks a random delay between 0 and the computed one, so that parallel calls are not retried at the
   * same moment; `none` uses the computed delay. Default `full`.
   */
  readonly jitter?: 'full' | 'none'
  /**
   * Failure codes to retry. Default: timeouts, network failures, and failures reported by a tool or a model.
   */
  readonly codes?: readonly string[]
  /** Retries only tools with these effects. Default `[read, idempotent]`. */
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
type RetrySettings = z.output<typeof options>

const RETRYABLE_CLASSES: ReadonlySet<Failure['class']> = new Set(['timeout', 'network', 'model', 'tool'])
/** Codes of these classes that would fail the same way again. */
const PERMANENT_CODES: ReadonlySet<string> = new Set([
  'tool_bad_arguments',
  'tool_unknown',
  'hook_failed',
  'hook_no_result',
  'hook_timeout',
  'child_timeout',
])

/**
 * Retries failed calls with exponential backoff. By default it retries only tools marked `read` or
 * `idempotent`. Every attempt is reported and counted separately.
 * @example retry({ tools: ['github__*'], attempts: 4 })
 */
export const retry: StockHook<RetryOptions> = stockHook('retry', options, (settings): ToolHook => {
  const concerns = compileCallFilter(settings)
  return async function retry(ctx, args, callNext) {
    if (!concerns(ctx) || !settings.effects.includes(ctx.toolEffect)) return callNext(args)
    for (let attempt = 1; ; attempt += 1) {
      const result = await callNext(args)
      if (attempt === settings.attempts || !isRetryable(result, settings)) return result
      const ms = delayAfter(attempt, settings, ctx)
      ctx.log(`${ctx.toolName} failed on attempt ${attempt} of ${settings.attempts}; retrying in ${ms} ms`)
      if (!(await wait(ctx, ms))) return result
    }
  }
})

function isRetryable({ outcome, failure }: ToolResult, { codes }: RetrySettings): boolean {
  if (failure === undefined || outcome === 'denied' || outcome === 'cancelled') return false
  if (codes !== undefined) return codes.includes(failure.code)
  return RETRYABLE_CLASSES.has(failure.class) && !PERMANENT_CODES.has(failure.code)
}

function delayAfter(
  attempt: number,
  settings: RetrySettings,
  { random }: Pick<HookContext, 'random'>,
): number {
  const ms = Math.min(settings.maxDelay, settings.delay * 2 ** (attempt - 1))
  return Math.round(settings.jitter === 'full' ? ms * random() : ms)
}
