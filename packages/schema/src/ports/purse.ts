import type { MaybePromise } from '../json.ts'
import type { ModelPrice } from './model-handle.ts'
import type { StopSource } from './run-executor.ts'

/** What one root may still spend: runs, tokens and money. */
export interface Purse {
  /** Counts a run that is about to open; false: the root has used up its runs. */
  openRun(maxRuns: number): boolean
  /** The pot of a run that starts: its own caps and those of every run above it. Undefined: no cap is in force, so nothing need be counted. */
  openPot(run: PotRequest): Pot | undefined
}

/** What a run and everything below it may use; none: no cap. */
export interface Budget {
  /** Tokens in and out. */
  readonly maxTokens?: number
  /** In USD. */
  readonly maxCost?: number
}

/** The run a pot is opened for. */
export interface PotRequest {
  readonly runId: string
  readonly parentRunId?: string | undefined
  readonly budget: Budget
  /** Returns how messages name a cap of this run: `limits.maxTokens in team/planner.md`. */
  limitName(key: keyof Budget): string
  /**
   * What the run and the runs below it spent before the root was resumed. A root counts it against all caps; a child only against its own,
   * because its parent has counted it already.
   */
  readonly spent?: Spend | undefined
}

/** What a run may still spend, with all runs above it. Every call is reserved at its worst case and settled after it (decision 7). */
export interface Pot {
  /**
   * Reserves the worst case of one model call. One that does not fit waits in order, holding nothing, while calls in flight may give
   * enough back; else it is a {@link Shortage}. Undefined: the stop fired first.
   */
  reserve(call: CallBound, stop?: StopSource): MaybePromise<Reservation | Shortage | undefined>
  /** Keeps as much as is there, up to this, for the closing turn of the run; replaces what it kept before. */
  setAside(amount: Spend): void
  /** True the first time a model without a price is used under a cap on cost. */
  firstUnpriced(model: string): boolean
  /** Gives back what was set aside. */
  close(): void
}

/** Tokens, in and out, and micro-USD. */
export interface Spend {
  readonly tokens: number
  readonly micros: number
}

/** The most one model call can use. */
export interface CallBound {
  readonly inputTokens: number
  /** What the call would like; lowered to what can be paid. */
  readonly outputTokens: number
  /** None: the call costs nothing that is known; its tokens count. */
  readonly price: ModelPrice | undefined
  /** The closing turn: it may use what its run set aside. */
  readonly isClosing: boolean
}

/** A call that may go out. */
export interface Reservation {
  readonly maxOutputTokens: number
  readonly worst: Spend
  /** The cap that lowered the output; none: it was not lowered. */
  readonly lowered?: Shortage
  /** Gives back what was not spent; `next` is what the run sets aside from now on. Once. */
  settle(spent: Spend, next?: Spend): void
}

/** A cap that is in the way. `used` and `cap` in tokens, or in USD. */
export interface Shortage {
  readonly kind: 'tokens' | 'cost'
  readonly used: number
  readonly cap: number
  /** What raises it: `limits.maxCost in team/planner.md`. */
  readonly limit: string
  /** When some of it is free again, as wall time in ms; `undefined` if the cap is not one over a time window. */
  readonly retryAt?: number
  /** What the refused call needs, in tokens or USD; `undefined` if it was not refused. */
  readonly needs?: {
    /** With the fewest output tokens that a call is made for. */
    readonly least: number
    /** With all output tokens it asked for. */
    readonly most: number
    /** The lowest cap that lets it out. */
    readonly cap: number
    /** Input tokens, estimated from above. */
    readonly inputTokens: number
    readonly outputTokens: number
  }
}
