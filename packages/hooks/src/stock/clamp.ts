import { type ToolHook } from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, concernsOf, type CallFilter } from './call-filter.ts'
import { clampArguments, type Bound } from './clamp-arguments.ts'
import { cutResult } from './cut-result.ts'
import { stockHook, type StockHook } from './stock-hook.ts'

/** Options of {@link clamp}. */
export interface ClampOptions extends CallFilter {
  /** Bounds by where the value is in the arguments: keys with dots between them, `*` for every member of a list: `query.limit`, `files.*.lines`. */
  readonly args?: Readonly<Record<string, Bound>>
  readonly result?: {
    /** UTF-8 bytes of text in the answer; the rest is cut and said to be. */
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
 * Brings arguments within bounds before the tool sees them (B34), and cuts long answers. A value of another type than its bound is for is
 * left as it is: that is for the input schema.
 * @example clamp({ tools: ['search'], args: { limit: { max: 20 }, query: { maxLength: 200 } }, result: { maxBytes: 8000 } })
 */
export const clamp: StockHook<ClampOptions> = stockHook('clamp', options, (settings): ToolHook => {
  const concerns = concernsOf(settings)
  const bounds = Object.entries(settings.args).map(([path, each]) => ({ path: path.split('.'), bound: each }))
  return async function clamp(ctx, args, callNext) {
    if (!concerns(ctx)) return callNext(args)
    const result = await callNext(clampArguments(args, bounds))
    return settings.result === undefined ? result : cutResult(result, settings.result.maxBytes)
  }
})
