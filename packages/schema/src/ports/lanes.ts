import type { MaybePromise } from '../json.ts'
import type { ModelHandle } from './model-handle.ts'
import type { StopSource } from './run-executor.ts'

/**
 * The lanes to the providers, shared by everything in the process: one for each provider and key. A lane is held by one model call: nobody
 * waits for a lane while holding one (decision 6).
 */
export interface Lanes {
  /** Waits until the call may go out. Undefined: the stop fired first. */
  enter(call: LaneCall): MaybePromise<LanePass | LaneRefusal | undefined>
}

/** What a model call asks of its lane. */
export interface LaneCall {
  readonly handle: Pick<ModelHandle, 'lane' | 'laneSize' | 'laneLimits' | 'endpoint'>
  readonly stop: StopSource
  /** The longest it may be kept waiting for a time that is known, in ms. */
  readonly patienceMs: number
  /** True: no other model could be asked instead, so it waits once for a provider that is left alone. */
  readonly isLast: boolean
  /** The tokens it may use; asked for under a limit of tokens only. */
  tokens(): number
  /** Is told of a wait that is known, in ms. */
  onWait?(ms: number): void
}

/** A call that may go out. */
export interface LanePass {
  /** The call is over. Once. */
  leave(report: LaneReport): LaneNews
}

/** How a call ended. */
export interface LaneReport {
  /** The code of its failure; none: it was answered. */
  readonly code?: string
  /** What the provider asked for, in ms. */
  readonly retryAfterMs?: number
  /** Tokens it used; none: not known. */
  readonly tokens?: number
}

/** What the end of a call means for its caller. */
export interface LaneNews {
  /** How long to wait before another attempt, in ms; none: the lane does not care. */
  readonly waitMs?: number
  /** The provider is left alone from now on, for so many ms. */
  readonly closedForMs?: number
  /** The provider is asked again. */
  readonly isOpenAgain?: true
}

/** A call that does not go out. */
export interface LaneRefusal {
  /** `rate`: the provider wants to be left alone longer than the call can wait. `failing`: it failed too often. */
  readonly refused: 'rate' | 'failing'
  /** Until it would be let through, in ms. */
  readonly waitMs: number
}
