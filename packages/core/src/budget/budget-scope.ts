import type { Budget } from '@troupe/schema'
import type { BudgetExceeded, BudgetScope, CallBound, Reservation, Spend } from '@troupe/schema/ports'
import {
  capsOf,
  closingAfter,
  decideCall,
  hasCap,
  NOTHING,
  reserveClosing,
  settleCall,
  tooSmallFor,
  type BalanceChange,
  type BudgetLink,
  type CallGrant,
} from './balance.ts'
import type { BudgetQueue } from './budget-queue.ts'

type Amount = { -readonly [K in keyof Spend]: number }

/** A budget of this process, whose balance changes in place. */
export interface ChainLink extends BudgetLink {
  readonly used: Amount
  readonly reserved: Amount
  readonly aside: Amount
}

/** A budget scope with its parent scopes. */
export interface BudgetScopeNode extends BudgetScope {
  /** Counts an amount that was spent before the root run was resumed. */
  charge(spent: Spend): void
  /** This scope and its parents, lowest first, without those that have no limit. */
  readonly chain: readonly ChainLink[]
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
    const isTaken = queue.isTaken(this.chain)
    const decided = isTaken ? undefined : this.#decide(call)
    if (decided !== undefined) return decided
    if (stop?.reason !== undefined) return undefined
    return new Promise((resolve) => {
      const attempt = (): readonly ChainLink[] | undefined => {
        const result = this.#decide(call)
        if (result === undefined) return tooSmallFor(this.#balances, call)
        resolve(result)
        return undefined
      }
      // A call that waits behind another one blocks no budget: it may not reserve before the other one anyway.
      const blocks = isTaken ? [] : tooSmallFor(this.#balances, call)
      queue.wait({ budgets: this.chain, blocks, attempt }, stop, () => resolve(undefined))
    })
  }

  reserveForClosing(amount: Spend): void {
    this.#apply(reserveClosing(this.#balances, amount))
    this.#parts.queue.wake()
  }

  charge(spent: Spend): void {
    // a time window has already counted it
    for (const link of this.chain) if (link.window === undefined) addTo(link.used, spent)
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

  get #balances(): { readonly links: readonly ChainLink[]; readonly own: Spend } {
    return { links: this.chain, own: this.#own }
  }

  /** Returns `undefined` if the call does not fit now, but may fit once calls in flight have ended. */
  #decide(call: CallBound): Reservation | BudgetExceeded | undefined {
    for (const link of this.chain) link.window?.refresh()
    const decided = decideCall(this.#balances, call)
    return decided === undefined || 'limit' in decided ? decided : this.#grant(call, decided)
  }

  #grant(call: CallBound, { change, ...granted }: CallGrant): Reservation {
    const before = this.#own
    this.#apply(change)
    let isSettled = false
    return {
      ...granted,
      settle: (spent, next) => {
        if (isSettled) return
        isSettled = true
        for (const link of this.chain) link.window?.record(spent)
        const closing = closingAfter(call, { before, spent, next })
        this.#apply(settleCall(this.#balances, { worst: granted.worst, spent, ...closing }))
        this.#parts.queue.wake()
      },
    }
  }

  #apply(change: BalanceChange): void {
    for (const link of this.chain) {
      addTo(link.used, change.used)
      addTo(link.reserved, change.reserved)
      addTo(link.aside, change.aside)
    }
    const own = { ...this.#own }
    addTo(own, change.aside)
    this.#own = own
  }
}

function addTo(sum: Amount, amount: Spend): void {
  sum.tokens += amount.tokens
  sum.micros += amount.micros
}

function toLink({ budget, limit, spent = NOTHING }: BudgetScopeParts): ChainLink {
  return { ...emptyBalance(budget), used: { ...spent }, limit }
}

/** Creates a balance of which nothing is used yet. */
export function emptyBalance(budget: Budget): Omit<ChainLink, 'limit' | 'window'> {
  return { caps: capsOf(budget), used: { ...NOTHING }, reserved: { ...NOTHING }, aside: { ...NOTHING } }
}
