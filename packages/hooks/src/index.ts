export { runHookChain, type HookChain, type HookChainResult } from './compose.ts'
export { approve, type ApproveOptions } from './stock/approve.ts'
export { audit, type AuditOptions } from './stock/audit.ts'
export { cache, type CacheOptions } from './stock/cache.ts'
export type { CallFilter } from './stock/call-filter.ts'
export { clamp, type ClampOptions, type Bound } from './stock/clamp.ts'
export { deny, type DenyOptions } from './stock/deny.ts'
export {
  hookReach,
  type HookReach,
  type OptionProblem,
  type OptionsError,
  type StockHook,
  type StockHookHost,
  type DurationInput,
} from './stock/stock-hook.ts'
export { rateLimit, type RateLimitOptions } from './stock/rate-limit.ts'
export { redact, type RedactOptions } from './stock/redact.ts'
export { retry, type RetryOptions } from './stock/retry.ts'
export { STOCK_HOOKS } from './stock/stock-hooks.ts'
export { replaceMatches, TEXT_KINDS, type TextKind } from './stock/text-patterns.ts'
