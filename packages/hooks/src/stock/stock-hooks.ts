import type { JsonObject, ToolHook } from '@troupe/schema'
import { approve } from './approve.ts'
import { audit } from './audit.ts'
import { cache } from './cache.ts'
import { clamp } from './clamp.ts'
import { deny } from './deny.ts'
import { rateLimit } from './rate-limit.ts'
import { redact } from './redact.ts'
import { retry } from './retry.ts'
import type { StockPlace } from './stock-hook.ts'

/** Makes a hook from options that are still to be checked. */
export type StockFactory = (options: JsonObject, place?: StockPlace) => ToolHook

/** Every stock hook by the name that cards use. */
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

/** The hook checks its options itself, whatever they are. */
function factory(
  name: string,
  hook: (options: never, place?: StockPlace) => ToolHook,
): [string, StockFactory] {
  return [name, hook as StockFactory]
}
