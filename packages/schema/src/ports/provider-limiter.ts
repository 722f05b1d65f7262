import type { MaybePromise } from '../json.ts'
import type { ModelHandle } from './model-handle.ts'
import type { StopSource } from './run-executor.ts'

/**
 * Limits concurrency and rate of model calls, for everything in the process that calls a provider. A permit is held by one model call, and
 * no caller waits for a permit while it holds one.
 */
export interface ProviderLimiter {
  /** Waits until the call may be sent. `undefined` if the stop fired first. */
  acquire(request: PermitRequest): MaybePromise<Permit | PermitRefusal | undefined>
}

/** A model call that wants to be sent. */
export interface PermitRequest {
  readonly handle: Pick<ModelHandle, 'id' | 'lane' | 'laneSize' | 'laneLimits' | 'endpoint'>
  readonly stop: StopSource
  /** The longest wait whose length is known in advance, in ms. A longer one is refused at once. */
  readonly maxWaitMs: number
  /** False: another model can be called instead, so the call does not wait for a provider whose circuit breaker is open. */
  readonly isLast: boolean
  /** Returns the tokens that the call may use. Called only if tokens or requests per minute are limited. */
  tokens(): number
  /** Called when the length of a wait becomes known, in ms. */
  onWait?(ms: number): void
}

/** A call that may be sent. */
export interface Permit {
  /** Ends the call. Call once. */
  release(outcome: ModelCallOutcome): ReleaseNotice
}

/** How a call ended. */
export interface ModelCallOutcome {
  /** The code of its failure; `undefined` if it was answered. */
  readonly code?: string
  /** The provider refused the call because of too much load: 429, 529 or 503. */
  readonly isThrottled?: boolean
  /** The caller ended the call, so it says nothing about the provider. */
  readonly isStopped?: boolean
  /** The wait that the provider asked for, in ms. */
  readonly retryAfterMs?: number
  /** Tokens it used; `undefined` if not known. */
  readonly tokens?: number
}

/** What a caller has to know after its call. */
export interface ReleaseNotice {
  /** The wait that the provider asked for and a random time more, in ms; `undefined` if it asked for none. */
  readonly retryAfterMs?: number
  /** The circuit breaker has opened with this call. */
  readonly opened?: {
    /** No calls are sent for so many ms. */
    readonly forMs: number
    /** Failed calls, and all calls of the sample. */
    readonly failed: number
    readonly calls: number
  }
  /** The circuit breaker has closed with this call. */
  readonly isClosed?: true
}

/** A call that may not be sent. */
export interface PermitRefusal {
  /** `rate`: a limit per minute would keep the call waiting too long. `failing`: the circuit breaker is open. */
  readonly refused: 'rate' | 'failing'
  /** Ms until it could be sent. */
  readonly waitMs: number
}
