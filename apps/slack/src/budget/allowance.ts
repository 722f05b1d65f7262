import type { Budget } from '@troupe/schema'
import type { Spent } from '../state/slack-state.ts'

/** What one person, or one channel, may use. None: no cap. */
export interface AllowanceLimits {
  readonly requestsPerMinute?: number
  readonly requestsPerDay?: number
  /** Tokens in and out. */
  readonly tokensPerDay?: number
  /** In USD. */
  readonly costPerDay?: number
}

/** What was used in the last minute and in the last day. */
export interface Usage {
  readonly minute: Spent
  readonly day: Spent
}

/** Whether a request may run, and with how much. */
export type Allowance =
  | { readonly allowed: true; readonly budget: Budget }
  | { readonly allowed: false; readonly reason: string }

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** Days and minutes are the last 24 hours and 60 seconds. `whose` begins the reason: `You have`. */
export function checkAllowance(limits: AllowanceLimits, { minute, day }: Usage, whose: string): Allowance {
  const { requestsPerMinute = Infinity, requestsPerDay = Infinity, tokensPerDay, costPerDay } = limits
  if (minute.requests >= requestsPerMinute)
    return refusal(
      `${whose} asked ${count(requestsPerMinute, 'time')} in the last minute. Try again in a minute.`,
    )
  if (day.requests >= requestsPerDay)
    return refusal(`${whose} asked ${count(requestsPerDay, 'time')} in the last 24 hours: no more for now.`)
  if (tokensPerDay !== undefined && day.tokens >= tokensPerDay)
    return refusal(`${whose} used ${count(tokensPerDay, 'token')} in the last 24 hours: no more for now.`)
  if (costPerDay !== undefined && day.micros >= costPerDay * 1_000_000)
    return refusal(`${whose} used $${costPerDay} in the last 24 hours: no more for now.`)
  const maxTokens = tokensPerDay === undefined ? {} : { maxTokens: tokensPerDay - day.tokens }
  const maxCost = costPerDay === undefined ? {} : { maxCost: costPerDay - day.micros / 1_000_000 }
  return { allowed: true, budget: { ...maxTokens, ...maxCost } }
}

/** Both must allow it; the lower caps count. */
export function bothAllow(one: Allowance, other: Allowance): Allowance {
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
