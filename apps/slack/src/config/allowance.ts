import type { Budget } from '@troupe/schema'
import type { SubjectUsage } from '../state/slack-state.ts'

/** Limits of a person or a channel. A missing field means no limit. */
export interface AllowanceLimits {
  readonly requestsPerMinute?: number
  readonly requestsPerDay?: number
  /** Input and output tokens. */
  readonly tokensPerDay?: number
  /** In USD. */
  readonly costPerDay?: number
}

/** Usage in the last minute and in the last day. */
export interface RecentUsage {
  readonly minute: SubjectUsage
  readonly day: SubjectUsage
}

/** The result of a limit check: the remaining budget, or the reason for a refusal. */
type Allowance =
  | { readonly allowed: true; readonly budget: Budget }
  | { readonly allowed: false; readonly reason: string }

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** Checks limits over the last 60 seconds and 24 hours. `whose` starts the reason, such as `You have`. */
export function checkAllowance(
  limits: AllowanceLimits,
  { minute, day }: RecentUsage,
  whose: string,
): Allowance {
  const { requestsPerMinute = Infinity, requestsPerDay = Infinity, tokensPerDay, costPerDay } = limits
  if (minute.requests >= requestsPerMinute)
    return refusal(
      `${whose} asked ${count(requestsPerMinute, 'time')} in the last minute, which is the limit. Try again in a minute.`,
    )
  if (day.requests >= requestsPerDay)
    return refusal(
      `${whose} asked ${count(requestsPerDay, 'time')} in the last 24 hours, which is the limit.`,
    )
  if (tokensPerDay !== undefined && day.tokens >= tokensPerDay)
    return refusal(`${whose} used ${count(tokensPerDay, 'token')} in the last 24 hours, which is the limit.`)
  if (costPerDay !== undefined && day.micros >= costPerDay * 1_000_000)
    return refusal(`${whose} used $${costPerDay} in the last 24 hours, which is the limit.`)
  const maxTokens = tokensPerDay === undefined ? {} : { maxTokens: tokensPerDay - day.tokens }
  const maxCost = costPerDay === undefined ? {} : { maxCost: costPerDay - day.micros / 1_000_000 }
  return { allowed: true, budget: { ...maxTokens, ...maxCost } }
}

/** Combines two results: both must allow the request, and the lower budget applies. */
export function combineAllowances(one: Allowance, other: Allowance): Allowance {
  if (!one.allowed) return one
  if (!other.allowed) return other
  return {
    allowed: true,
    budget: {
      ...lower('maxTokens', one.budget, other.budget),
      ...lower('maxCost', one.budget, other.budget),
    },
  }
}

function lower(key: keyof Budget, one: Budget, other: Budget): Budget {
  const least = Math.min(one[key] ?? Infinity, other[key] ?? Infinity)
  return least === Infinity ? {} : { [key]: least }
}

function refusal(reason: string): Allowance {
  return { allowed: false, reason }
}

function count(value: number, what: string): string {
  return `${value.toLocaleString('en-US')} ${what}${value === 1 ? '' : 's'}`
}
