import type { Budget } from '@troupe/schema'
import type {
  CallBound,
  ModelPrice,
  BudgetScope,
  Reservation,
  BudgetExceeded,
  Spend,
} from '@troupe/schema/ports'
import type { BudgetQueue } from './budget-queue.ts'

/** Minimum output tokens for which a call is worth making, unless it asked for fewer. */
export const MIN_OUTPUT = 64
/** Maximum share of a budget that is reserved for final turns without tools, across all runs under it. */
const CLOSING_SHARE = 1 / 8

const NOTHING: Spend = Object.freeze({ tokens: 0, micros: 0 })
const KINDS = ['tokens', 'micros'] as const
type BudgetKind = (typeof KINDS)[number]
type Amount = { -readonly [K in BudgetKind]: number }

/** Amounts of one budget, for its run and every run below it. */
interface Balance {
  readonly caps: Spend
  readonly used: Amount
  /** Reserved by calls in flight. */
  readonly reserved: Amount
  /** Reserved for closing turns. */
  readonly aside: Amount
}

/** A budget scope with its parent scopes. */
export interface BudgetScopeNode extends BudgetScope {
  /** Counts an amount that was spent before the root run was resumed. */
  charge(spent: Spend): void
  /** This scope and its parents, lowest first, without those that have no limit. */
  readonly chain: readonly ChainLink[]
}

/** A budget that calls reserve from. */
export interface ChainLink extends Balance {
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

interface BudgetScopeParts {
  readonly budget: Budget
  limit(key: keyof Budget): string
  readonly parent?: Pick<BudgetScopeNode, 'chain'> | undefined
  readonly queue: BudgetQueue
  readonly unpriced: Set<string>
  /** Amount spent before the root run was resumed. The parent scopes have already counted it. */
  readonly spent?: Spend | undefined
  onClose?(): void
}

/** Returns true if the budget has a limit. */
export function hasCap({ maxTokens, maxCost }: Budget): boolean {
  return maxTokens !== undefined || maxCost !== undefined
}

/** Creates a budget scope. Its reservations also count against its parent scopes. */
export function createBudgetScope(parts: BudgetScopeParts): BudgetScopeNode {
  return new RunBudgetScope(parts)
}

/** A class to save memory: every child under a limit has one. */
class RunBudgetScope implements BudgetScopeNode {
  readonly chain: readonly ChainLink[]
  readonly #parts: BudgetScopeParts
  /** Part of `aside` that belongs to this run, in every link of the chain. */
  #own: Spend = NOTHING

  constructor(parts: BudgetScopeParts) {
    const parentChain = parts.parent?.chain ?? []
    this.chain = hasCap(parts.budget) ? [toLink(parts), ...parentChain] : parentChain
    this.#parts = parts
  }

  reserve(call: CallBound, stop?: Parameters<BudgetScope['reserve']>[1]): ReturnType<BudgetScope['reserve']> {
    const { queue } = this.#parts
    if (!queue.isTaken(this.chain)) {
      const decided = this.#decide(call)
      if (decided !== undefined) return decided
    }
    if (stop?.reason !== undefined) return undefined
    return new Promise((resolve) => {
      const attempt = (): readonly ChainLink[] | undefined => {
        const decided = this.#decide(call)
        if (decided === undefined) return this.#tooSmall(call)
        resolve(decided)
        return undefined
      }
      const waiter = { budgets: this.chain, blocks: this.#tooSmall(call), attempt }
      queue.wait(waiter, stop, () => resolve(undefined))
    })
  }

  reserveForClosing(amount: Spend): void {
    this.#keep(amount)
    this.#parts.queue.wake()
  }

  charge(spent: Spend): void {
    // a time window has already counted it
    for (const link of this.chain) if (link.window === undefined) addTo(link.used, spent, 1)
  }

  firstUnpriced(model: string): boolean {
    const { unpriced } = this.#parts
    if (unpriced.has(model) || this.chain.every(({ caps }) => caps.micros === Infinity)) return false
    unpriced.add(model)
    return true
  }

  close(): void {
    this.reserveForClosing(NOTHING)
    this.#parts.onClose?.()
  }

  /** Returns `undefined` if the call does not fit now, but may fit once calls in flight have ended. */
  #decide(call: CallBound): Reservation | BudgetExceeded | undefined {
    for (const link of this.chain) link.window?.refresh()
    const own = call.isClosing ? this.#own : NOTHING
    const least = leastOutput(call)
    const now = tightest(this.chain, (link, kind) =>
      affordableOutput(call, kind, free(link, kind) + own[kind]),
    )
    if (now.output >= least) return this.#grant(call, now)
    const later = tightest(this.chain, (link, kind) =>
      affordableOutput(call, kind, free(link, kind) + own[kind] + link.reserved[kind]),
    )
    return later.output >= least ? undefined : later.shortage(call)
  }

  /** Returns the budgets that are too small for the call now. */
  #tooSmall(call: CallBound): readonly ChainLink[] {
    const own = call.isClosing ? this.#own : NOTHING
    const isSmall = (link: ChainLink, kind: BudgetKind): boolean =>
      affordableOutput(call, kind, free(link, kind) + own[kind]) < leastOutput(call)
    return this.chain.filter((link) => KINDS.some((kind) => isSmall(link, kind)))
  }

  #grant(call: CallBound, now: TightestBudget): Reservation {
    const output = Math.min(call.outputTokens, now.output)
    const worst = worstCase(call, output)
    const before = this.#own
    const loweredBy = output < call.outputTokens ? { loweredBy: now.shortage() } : {}
    if (call.isClosing) this.#keep(NOTHING)
    this.#add('reserved', worst, 1)
    let isSettled = false
    return {
      maxOutputTokens: output,
      worst,
      ...loweredBy,
      settle: (spent, next) => {
        if (isSettled) return
        isSettled = true
        this.#add('reserved', worst, -1)
        for (const link of this.chain) link.window?.record(spent)
        this.#add('used', spent, 1)
        // a closing call that the provider refused may be retried, so restore its reservation
        if (next !== undefined) this.#keep(next)
        else if (call.isClosing) this.#keep(subtract(before, spent))
        this.#parts.queue.wake()
      },
    }
  }

  /** Replaces the run's reservation for closing turns by as much of `wanted` as the whole chain allows. */
  #keep(amount: Spend): void {
    this.#add('aside', this.#own, -1)
    const reserved = { ...amount }
    for (const link of this.chain)
      for (const kind of KINDS)
        reserved[kind] = Math.max(
          0,
          Math.min(reserved[kind], free(link, kind), reservableForClosing(link, kind)),
        )
    this.#own = reserved
    this.#add('aside', reserved, 1)
  }

  #add(part: 'used' | 'reserved' | 'aside', amount: Spend, sign: 1 | -1): void {
    for (const link of this.chain) addTo(link[part], amount, sign)
  }
}

function addTo(sum: Amount, amount: Spend, sign: 1 | -1): void {
  for (const kind of KINDS) sum[kind] += sign * amount[kind]
}

function leastOutput({ outputTokens }: CallBound): number {
  return Math.min(outputTokens, MIN_OUTPUT)
}

function reservableForClosing({ caps, aside }: Balance, kind: BudgetKind): number {
  return Math.floor(caps[kind] * CLOSING_SHARE) - aside[kind]
}

function toLink({ budget, limit, spent = NOTHING }: BudgetScopeParts): ChainLink {
  return { ...emptyBalance(budget), used: { ...spent }, limit }
}

/** Creates a balance of which nothing is used yet. */
export function emptyBalance({ maxTokens = Infinity, maxCost = Infinity }: Budget): Balance {
  return {
    caps: {
      tokens: maxTokens,
      micros: maxCost === Infinity ? Infinity : Math.round(maxCost * MICROS_PER_USD),
    },
    used: { ...NOTHING },
    reserved: { ...NOTHING },
    aside: { ...NOTHING },
  }
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
  chain: readonly ChainLink[],
  outputOf: (link: ChainLink, kind: BudgetKind) => number,
): TightestBudget {
  let output = Infinity
  let where: { readonly link: ChainLink; readonly kind: BudgetKind } | undefined
  for (const link of chain) {
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
  where: { readonly link: ChainLink; readonly kind: BudgetKind } | undefined,
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
  { link, kind }: { readonly link: ChainLink; readonly kind: BudgetKind },
): NonNullable<BudgetExceeded['needs']> {
  const least = worstCase(call, leastOutput(call))[kind]
  const taken = link.used[kind] + least
  const cap = link.aside[kind] > 0 ? Math.ceil(taken / (1 - CLOSING_SHARE)) : taken
  const most = worstCase(call, call.outputTokens)[kind]
  const unit = kind === 'tokens' ? 1 : MICROS_PER_USD
  const { inputTokens, outputTokens } = call
  return { least: least / unit, most: most / unit, cap: cap / unit, inputTokens, outputTokens }
}

function subtract(amount: Spend, spent: Spend): Spend {
  return {
    tokens: Math.max(0, amount.tokens - spent.tokens),
    micros: Math.max(0, amount.micros - spent.micros),
  }
}

/** Micro-USD per USD. Internally, money is an integer number of micro-USD. */
const MICROS_PER_USD = 1_000_000
