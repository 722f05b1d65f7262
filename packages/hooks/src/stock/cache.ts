import type { ToolEffect, ToolHook, ToolResult } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import { z } from 'zod'
import { callFilterOptions, compileCallFilter, type CallFilter } from './call-filter.ts'
import {
  durationOption,
  effectList,
  type DurationInput,
  stockHook,
  type StockHook,
  hookState,
} from './stock-hook.ts'

/** Options of {@link cache}. */
export interface CacheOptions extends CallFilter {
  /** Lifetime of a cached result. Default 5 m. */
  readonly ttl?: DurationInput
  /**
   * Shares results among the calls of one run, or of all runs in the tree that use this hook. Default `run`.
   */
  readonly scope?: 'run' | 'root'
  /** Maximum number of cached results; the oldest are evicted first. Default 1000. */
  readonly maxEntries?: number
  /** Caches only tools with these effects. Default `[read]`: other tools have to run to do their work. */
  readonly effects?: readonly ToolEffect[]
}

const options = z.strictObject({
  ...callFilterOptions,
  ttl: durationOption(1).default(300_000),
  scope: z.enum(['run', 'root']).default('run'),
  maxEntries: z.int().min(1).max(100_000).default(1000),
  effects: effectList.default(['read']),
})

interface CachedResult {
  readonly result: ToolResult
  /** Monotonic ms. */
  readonly until: number
}

/**
 * Returns the cached result of an identical earlier call; the order of argument keys does not matter. Caches
 * only completed results, never failures. A cached result needs no new approval, but a call that a rule
 * denies does not get one.
 * @example cache({ tools: ['search'], ttl: '10m', scope: 'root' })
 */
export const cache: StockHook<CacheOptions> = stockHook('cache', options, (settings): ToolHook => {
  const concerns = compileCallFilter(settings)
  const stateScope = { owner: settings, scope: settings.scope }
  return async function cache(ctx, args, callNext) {
    if (!concerns(ctx) || !settings.effects.includes(ctx.toolEffect)) return callNext(args)
    const entries = hookState(ctx, stateScope, () => new Map<string, CachedResult>())
    // Another agent may have a different tool of the same name.
    const key = canonicalJson([ctx.agentName, ctx.toolName, args])
    const known = entries.get(key)
    if (known !== undefined && known.until > ctx.clock.monotonic() && !(await ctx.isDenied(args))) {
      ctx.log(`${ctx.toolName}: answered from the cache`)
      return known.result
    }
    const result = await callNext(args)
    if (result.outcome !== 'completed') return result
    entries.delete(key)
    entries.set(key, { result: repeatablePart(result), until: ctx.clock.monotonic() + settings.ttl })
    if (entries.size > settings.maxEntries) dropOldest(entries)
    return result
  }
})

/**
 * Returns the part of a result that can be repeated. The messages of a forked child are merged only once, by
 * the call that started it.
 */
function repeatablePart({ merge: _merge, childRunId: _child, ...answer }: ToolResult): ToolResult {
  return answer
}

function dropOldest(entries: Map<string, CachedResult>): void {
  for (const [oldest] of entries) {
    entries.delete(oldest)
    return
  }
}
