import { canonicalJson, type ToolEffect, type ToolHook, type ToolResult } from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, concernsOf, type CallFilter } from './call-filter.ts'
import { durationOption, type DurationInput } from './duration-option.ts'
import { effectList } from './effect-option.ts'
import { hookState } from './hook-state.ts'
import { stockHook, type StockHook } from './stock-hook.ts'

/** Options of {@link cache}. */
export interface CacheOptions extends CallFilter {
  /** How long an answer is good. Default 5 m. */
  readonly ttl?: DurationInput
  /** Who shares answers: the calls of one run, or those of all runs of one tree with this hook. Default `run`. */
  readonly scope?: 'run' | 'root'
  /** Answers kept; the oldest go first. Default 1000. */
  readonly maxEntries?: number
  /** Tools whose answers may be kept. Default `[read]`: of other tools the work would not be done. */
  readonly effects?: readonly ToolEffect[]
}

const options = z.strictObject({
  ...callFilterOptions,
  ttl: durationOption(1).default(300_000),
  scope: z.enum(['run', 'root']).default('run'),
  maxEntries: z.int().min(1).max(100_000).default(1000),
  effects: effectList.default(['read']),
})

interface Kept {
  readonly result: ToolResult
  /** Monotonic ms. */
  readonly until: number
}

/**
 * Gives the answer that the same call had a moment ago; arguments are the same whatever the order of their keys. Only complete answers are
 * kept, never failures. A cached answer is given without asking for approval again. A call that a rule denies gets none.
 * @example cache({ tools: ['search'], ttl: '10m', scope: 'root' })
 */
export const cache: StockHook<CacheOptions> = stockHook('cache', options, (settings): ToolHook => {
  const concerns = concernsOf(settings)
  const place = { owner: settings, scope: settings.scope }
  return async function cache(ctx, args, callNext) {
    if (!concerns(ctx) || !settings.effects.includes(ctx.toolEffect)) return callNext(args)
    const kept = hookState(ctx, place, () => new Map<string, Kept>())
    // another agent may have another tool of that name
    const key = canonicalJson([ctx.agentName, ctx.toolName, args])
    const known = kept.get(key)
    if (known !== undefined && known.until > ctx.clock.monotonic() && !(await ctx.isDenied(args))) {
      ctx.log(`${ctx.toolName}: the answer is known`)
      return known.result
    }
    const result = await callNext(args)
    if (result.outcome !== 'completed') return result
    kept.delete(key)
    kept.set(key, { result: answerOf(result), until: ctx.clock.monotonic() + settings.ttl })
    if (kept.size > settings.maxEntries) dropOldest(kept)
    return result
  }
})

/** What may be told twice: the messages of a forked child are merged once, by the call that opened it. */
function answerOf({ merge: _merge, childRunId: _child, ...answer }: ToolResult): ToolResult {
  return answer
}

function dropOldest(kept: Map<string, Kept>): void {
  for (const [oldest] of kept) {
    kept.delete(oldest)
    return
  }
}
