import type { JsonObject, ToolHook } from '@troupe/schema'
import { approve } from './approve.ts'
import { audit } from './audit.ts'
import { cache } from './cache.ts'
import { clamp } from './clamp.ts'
import { deny } from './deny.ts'
import { rateLimit } from './rate-limit.ts'
import { redact } from './redact.ts'
import { retry } from './retry.ts'
import type { StockHookHost } from './stock-hook.ts'

/** Creates a hook from options that have not been checked yet. */
type StockFactory = (options: JsonObject, host?: StockHookHost) => ToolHook

/** The stock hooks by the name used in cards. */
export const STOCK_HOOKS: ReadonlyMap<string, StockFactory> = new Map([
  factory('audit', audit),
  factory('redact', redact),
  factory('clamp', clamp),
  factory('deny', deny),
  factory('retry', retry),
  factory('cache', cache),
  factory('rateLimit', rateLimit),
  factory('approve', approve),
])

/** The cast is safe: the hook checks its options itself. */
function factory(
  name: string,
  hook: (options: never, host?: StockHookHost) => ToolHook,
): [string, StockFactory] {
  return [name, hook as StockFactory]
}
