import type { MaybePromise } from '../text/json.ts'
import type { CancellationToken } from '../values/clock.ts'
import type { ModelPrice } from './model-handle.ts'

/** Accounts for the runs, tokens and money that one run tree may still use. */
export interface BudgetLedger {
  /** Counts a run that is about to start. Returns false if the run tree has used up its runs. */
  openRun(maxRuns: number): boolean
  /**
   * Opens the budget scope of a starting run, with its own caps and those of every run above it. Returns
   * `undefined` if there are no caps, so nothing has to be counted.
   */
  openScope(run: BudgetScopeRequest): BudgetScope | undefined
}

/** Caps on the usage of a run and everything below it. Default of each: no cap. */
export interface Budget {
  /** Maximum number of input and output tokens. */
  readonly maxTokens?: number
  /** Maximum cost in USD. */
  readonly maxCost?: number
}

/** The run that a budget scope is opened for. */
export interface BudgetScopeRequest {
  readonly runId: string
  readonly parentRunId?: string | undefined
  readonly budget: Budget
  /** Returns the name of a cap for messages: `limits.maxTokens in team/planner.md`. */
  limitName(key: keyof Budget): string
  /**
   * Usage of the run and the runs below it before the run tree was resumed. A root run counts it against all
   * caps; a child run only against its own, because its parent has counted it already.
   */
  readonly spent?: Spend | undefined
}

/**
 * The remaining budget of a run and all runs above it. The maximum cost of every call is reserved before it
 * and settled after it.
 */
export interface BudgetScope {
  /**
   * Reserves the maximum cost of one model call. A call that does not fit waits in order, without a
   * reservation, while calls in flight may release enough; otherwise the result is a {@link BudgetExceeded}.
   * Resolves with `undefined` if the call was cancelled first.
   */
  reserve(call: CallBound, stop?: CancellationToken): MaybePromise<Reservation | BudgetExceeded | undefined>
  /**
   * Reserves up to this amount, as far as available, for the run's closing turn. Replaces the previous
   * reserve.
   */
  reserveForClosing(amount: Spend): void
  /** Returns true the first time a model without a price is used under a cost cap. */
  firstUnpriced(model: string): boolean
  /** Releases the reserve for the closing turn. */
  close(): void
}

/** An amount: input and output tokens, and micro-USD. */
export interface Spend {
  readonly tokens: number
  readonly micros: number
}

/** Maximum usage of one model call. */
export interface CallBound {
  readonly inputTokens: number
  /** Requested output tokens. Reduced to what the budget can pay. */
  readonly outputTokens: number
  /** `undefined` if the price is not known. The call then costs nothing, but its tokens count. */
  readonly price: ModelPrice | undefined
  /** True for the closing turn, which may use the reserve of its run. */
  readonly isClosing: boolean
}

/** A reserved model call, which may be sent. */
export interface Reservation {
  readonly maxOutputTokens: number
  readonly worst: Spend
  /** The cap that reduced the output; `undefined` if it was not reduced. */
  readonly loweredBy?: BudgetExceeded
  /** Releases what was not spent. `next` replaces the reserve for the closing turn. Call once. */
  settle(spent: Spend, next?: Spend): void
}

/** A cap that refuses or reduces a call. `used` and `cap` are in tokens or USD. */
export interface BudgetExceeded {
  readonly kind: 'tokens' | 'cost'
  readonly used: number
  readonly cap: number
  /** The setting that raises the cap: `limits.maxCost in team/planner.md`. */
  readonly limit: string
  /**
   * Time at which some of the cap is free again, wall time in ms; `undefined` if the cap has no time window.
   */
  readonly retryAt?: number
  /** Requirements of the refused call, in tokens or USD; `undefined` if no call was refused. */
  readonly needs?: {
    /** Amount with the fewest output tokens that make a call worthwhile. */
    readonly least: number
    /** Amount with all requested output tokens. */
    readonly most: number
    /** The lowest cap that would admit the call. */
    readonly cap: number
    /** Estimated upper bound of the input tokens. */
    readonly inputTokens: number
    readonly outputTokens: number
  }
}

/**
 * A limit on the total usage of all runs of one principal in a time window. Pass it as
 * `RunOptions.spendingLimit`.
 */
export interface SpendingLimit {
  /**
   * Opens the budget ledger of one run tree. Each of its model calls is reserved from the limit before it is
   * sent.
   */
  openLedger(budget?: Budget): BudgetLedger
}
