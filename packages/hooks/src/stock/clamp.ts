import { type ToolHook } from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, compileCallFilter, type CallFilter } from './call-filter.ts'
import { clampArguments, type Bound } from './clamp-arguments.ts'
import { cutResult } from './cut-result.ts'
import { stockHook, type StockHook } from './stock-hook.ts'

/** Options of {@link clamp}. */
export interface ClampOptions extends CallFilter {
  /**
   * Bounds by argument path: keys separated by dots, with `*` for every item of a list, such as `query.limit`
   * or `files.*.lines`.
   */
  readonly args?: Readonly<Record<string, Bound>>
  readonly result?: {
    /** Maximum UTF-8 bytes of text in the result. Longer text is cut and a note about it is added. */
    readonly maxBytes: number
  }
}

const bound = z
  .strictObject({
    min: z.number().optional(),
    max: z.number().optional(),
    maxLength: z.int().min(0).optional(),
    maxItems: z.int().min(0).optional(),
  })
  .refine(({ min = -Infinity, max = Infinity }) => min <= max, { error: '`min` is greater than `max`' })

const options = z.strictObject({
  ...callFilterOptions,
  args: z.record(z.string().min(1), bound).default({}),
  result: z.strictObject({ maxBytes: z.int().min(1) }).optional(),
})

/**
 * Clamps arguments before the tool gets them, and cuts long results. Values of another type than their bound
 * are left for the input schema to judge.
 * @example clamp({ tools: ['search'], args: { limit: { max: 20 }, query: { maxLength: 200 } }, result: { maxBytes: 8000 } })
 */
export const clamp: StockHook<ClampOptions> = stockHook('clamp', options, (settings): ToolHook => {
  const concerns = compileCallFilter(settings)
  const bounds = Object.entries(settings.args).map(([path, each]) => ({ path: path.split('.'), bound: each }))
  return async function clamp(ctx, args, callNext) {
    if (!concerns(ctx)) return callNext(args)
    const result = await callNext(clampArguments(args, bounds))
    return settings.result === undefined ? result : cutResult(result, settings.result.maxBytes)
  }
})
