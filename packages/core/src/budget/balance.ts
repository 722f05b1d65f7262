import type { Budget } from '@troupe/schema'
import type { BudgetExceeded, CallBound, ModelPrice, Spend } from '@troupe/schema/ports'

/** Minimum output tokens for which a call is worth making, unless it asked for fewer. */
export const MIN_OUTPUT = 64
/** Maximum share of a budget that is reserved for final turns without tools, across all runs under it. */
const CLOSING_SHARE = 1 / 8

/** An amount of zero. */
export const NOTHING: Spend = Object.freeze({ tokens: 0, micros: 0 })
const KINDS = ['tokens', 'micros'] as const
type BudgetKind = (typeof KINDS)[number]

/** Amounts of one budget, for its run and every run below it. */
export interface Balance {
  readonly caps: Spend
  readonly used: Spend
  /** Reserved by calls in flight. */
  readonly reserved: Spend
  /** Reserved for closing turns. */
  readonly aside: Spend
}

/** A balance that calls of a run reserve from, of the run itself or of a run above it. */
export interface BudgetLink extends Balance {
  /** Returns the name of a cap for messages. */
  limit(key: keyof Budget): string
  /** Set for a budget over a time window, which several run trees share. */
  readonly window?: {
    /** Subtracts amounts spent before the window from `used`. */
    refresh(): void
    /** Records the time of an amount that is about to be added to `used`. */
    record(spent: Spend): void
    /** Returns the wall time in ms at which the oldest amount leaves the window. */
    freesAt(): number | undefined
  }
}

/**
 * Amounts to add to each balance of a chain. `aside` is also to be added to what the run itself has reserved
 * for its closing turn.
 */
export type BalanceChange = Pick<Balance, 'used' | 'reserved' | 'aside'>

/** A run's part of the balances, and the balances of itself and the runs above it that have a cap. */
export interface BudgetChain<Link extends BudgetLink = BudgetLink> {
  /** Lowest first. */
  readonly links: readonly Link[]
  /** The part of `aside` that belongs to this run, in every link. */
  readonly own: Spend
}

/** A call that fits, and the change that reserves it. */
export interface CallGrant {
  readonly maxOutputTokens: number
  readonly worst: Spend
  /** The cap that reduced the output. `undefined` if it was not reduced. */
  readonly loweredBy?: BudgetExceeded
  readonly change: BalanceChange
}

/** Returns true if the budget has a limit. */
export function hasCap({ maxTokens, maxCost }: Budget): boolean {
  return maxTokens !== undefined || maxCost !== undefined
}

/** Converts a budget to amounts. `Infinity` stands for no cap. */
export function capsOf({ maxTokens = Infinity, maxCost = Infinity }: Budget): Spend {
  return {
    tokens: Math.floor(maxTokens),
    micros: maxCost === Infinity ? Infinity : Math.round(maxCost * MICROS_PER_USD),
  }
}

/** Returns the name of a cap on the budget that the caller passed for the whole run tree. */
export function runLimitName(key: keyof Budget): string {
  return `budget.${key} of the run (${key === 'maxCost' ? '--max-cost' : '--max-tokens'})`
}

/**
 * Decides on a call: grants it, with less output if necessary, or refuses it. Returns `undefined` if it does
 * not fit now, but may fit once calls in flight have ended.
 */
export function decideCall(chain: BudgetChain, call: CallBound): CallGrant | BudgetExceeded | undefined {
  const own = ownPart(chain, call)
  const least = leastOutput(call)
  const now = tightest(chain.links, (link, kind) =>
    affordableOutput(call, kind, free(link, kind) + own[kind]),
  )
  if (now.output >= least) {
    const output = Math.min(call.outputTokens, now.output)
    const worst = worstCase(call, output)
    const loweredBy = output < call.outputTokens ? { loweredBy: now.shortage() } : {}
    const change = { used: NOTHING, reserved: worst, aside: negative(own) }
    return { maxOutputTokens: output, worst, ...loweredBy, change }
  }
  const later = tightest(chain.links, (link, kind) =>
    affordableOutput(call, kind, free(link, kind) + own[kind] + link.reserved[kind]),
  )
  return later.output >= least ? undefined : later.shortage(call)
}

/** Returns the budgets that are too small for the call now. */
export function tooSmallFor<Link extends BudgetLink>(
  chain: BudgetChain<Link>,
  call: CallBound,
): readonly Link[] {
  const own = ownPart(chain, call)
  const isSmall = (link: Link, kind: BudgetKind): boolean =>
    affordableOutput(call, kind, free(link, kind) + own[kind]) < leastOutput(call)
  return chain.links.filter((link) => KINDS.some((kind) => isSmall(link, kind)))
}

/**
 * Returns the change that ends a granted call. `closing` is the amount that replaces the reserve of the run
 * for its closing turn; `undefined` if it stays as it is.
 */
export function settleCall(
  chain: BudgetChain,
  { worst, spent, closing }: { readonly worst: Spend; readonly spent: Spend; readonly closing?: Spend },
): BalanceChange {
  const reserved = negative(worst)
  if (closing === undefined) return { used: spent, reserved, aside: NOTHING }
  const released = { tokens: worst.tokens - spent.tokens, micros: worst.micros - spent.micros }
  return { used: spent, reserved, aside: closingChange(chain, closing, released) }
}

/**
 * Returns the reserve for the closing turn after a call: `next` if the caller names one. A closing turn that
 * ended may be retried, so that what it left of the reserve before it is restored.
 */
export function closingAfter(
  { isClosing }: CallBound,
  {
    before,
    spent,
    next,
  }: { readonly before: Spend; readonly spent: Spend; readonly next?: Spend | undefined },
): { readonly closing?: Spend } {
  if (next !== undefined) return { closing: next }
  if (!isClosing) return {}
  return {
    closing: {
      tokens: Math.max(0, before.tokens - spent.tokens),
      micros: Math.max(0, before.micros - spent.micros),
    },
  }
}

/** Returns the change that reserves as much of the amount for the closing turn as the whole chain allows. */
export function reserveClosing(chain: BudgetChain, amount: Spend): BalanceChange {
  return { used: NOTHING, reserved: NOTHING, aside: closingChange(chain, amount, NOTHING) }
}

/** `released` is what becomes free in the same change. */
function closingChange({ links, own }: BudgetChain, amount: Spend, released: Spend): Spend {
  const change = { tokens: 0, micros: 0 }
  for (const kind of KINDS) {
    let kept = amount[kind]
    for (const link of links)
      kept = Math.min(
        kept,
        free(link, kind) + released[kind] + own[kind],
        Math.floor(link.caps[kind] * CLOSING_SHARE) - link.aside[kind] + own[kind],
      )
    change[kind] = Math.max(0, kept) - own[kind]
  }
  return change
}

/** Returns the reserve that the call may use: that of its run if it is the closing turn. */
function ownPart({ own }: BudgetChain, { isClosing }: CallBound): Spend {
  return isClosing ? own : NOTHING
}

function negative({ tokens, micros }: Spend): Spend {
  return { tokens: -tokens, micros: -micros }
}

function leastOutput({ outputTokens }: CallBound): number {
  return Math.min(outputTokens, MIN_OUTPUT)
}

function free({ caps, used, reserved, aside }: Balance, kind: BudgetKind): number {
  return caps[kind] - used[kind] - reserved[kind] - aside[kind]
}

/** Returns the output tokens that this amount pays for. Negative if it does not even pay for the input. */
function affordableOutput({ inputTokens, price }: CallBound, kind: BudgetKind, available: number): number {
  if (kind === 'tokens') return available - inputTokens
  if (available === Infinity || price === undefined) return Infinity
  const left = available * PRICE_UNIT - inputTokens * highestInputPrice(price)
  if (left < 0) return -1
  return price.output === 0 ? Infinity : Math.floor(left / price.output)
}

/** Returns the maximum amount that the call can use with this much output. */
function worstCase({ inputTokens, price }: CallBound, output: number): Spend {
  const perMillion = price === undefined ? 0 : inputTokens * highestInputPrice(price) + output * price.output
  return { tokens: inputTokens + output, micros: Math.ceil(perMillion / PRICE_UNIT) }
}

/** Number of tokens that a price is for. */
const PRICE_UNIT = 1_000_000

/** Returns the highest price of input tokens, because use of the cache is only known after the call. */
export function highestInputPrice({ input, cacheRead = input, cacheWrite = input }: ModelPrice): number {
  return Math.max(input, cacheRead, cacheWrite)
}

interface TightestBudget {
  readonly output: number
  /** `refused` is set if the call does not fit at all. */
  shortage(refused?: CallBound): BudgetExceeded
}

function tightest(
  links: readonly BudgetLink[],
  outputOf: (link: BudgetLink, kind: BudgetKind) => number,
): TightestBudget {
  let output = Infinity
  let where: { readonly link: BudgetLink; readonly kind: BudgetKind } | undefined
  for (const link of links) {
    for (const kind of KINDS) {
      const here = outputOf(link, kind)
      if (here >= output) continue
      output = here
      where = { link, kind }
    }
  }
  return { output, shortage: (refused) => toShortage(where, refused) }
}

function toShortage(
  where: { readonly link: BudgetLink; readonly kind: BudgetKind } | undefined,
  refused: CallBound | undefined,
): BudgetExceeded {
  if (where === undefined) return { kind: 'tokens', used: 0, cap: Infinity, limit: 'limits' }
  const { link, kind } = where
  const retryAt = link.window?.freesAt()
  const more = {
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(refused === undefined ? {} : { needs: needsOf(refused, { link, kind }) }),
  }
  if (kind === 'tokens')
    return { kind, used: link.used.tokens, cap: link.caps.tokens, limit: link.limit('maxTokens'), ...more }
  return {
    kind: 'cost',
    used: link.used.micros / MICROS_PER_USD,
    cap: link.caps.micros / MICROS_PER_USD,
    limit: link.limit('maxCost'),
    ...more,
  }
}

/**
 * Computes the amounts that the call needs, and the limit that would allow it. The limit includes the share
 * reserved for closing turns, if any.
 */
function needsOf(
  call: CallBound,
  { link, kind }: { readonly link: BudgetLink; readonly kind: BudgetKind },
): NonNullable<BudgetExceeded['needs']> {
  const least = worstCase(call, leastOutput(call))[kind]
  const taken = link.used[kind] + least
  const cap = link.aside[kind] > 0 ? Math.ceil(taken / (1 - CLOSING_SHARE)) : taken
  const most = worstCase(call, call.outputTokens)[kind]
  const unit = kind === 'tokens' ? 1 : MICROS_PER_USD
  const { inputTokens, outputTokens } = call
  return { least: least / unit, most: most / unit, cap: cap / unit, inputTokens, outputTokens }
}

/** Micro-USD per USD. Internally, money is an integer number of micro-USD. */
const MICROS_PER_USD = 1_000_000
