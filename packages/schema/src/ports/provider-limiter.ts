import type { MaybePromise } from '../text/json.ts'
import type { CancellationToken } from '../values/clock.ts'
import type { ModelHandle } from './model-handle.ts'

/**
 * Limits concurrency and rate of all model calls in the process. A permit is held by one model call, and no
 * caller waits for a permit while it holds one.
 */
export interface ProviderLimiter {
  /** Waits until the call may be sent. Resolves with `undefined` if the call was cancelled first. */
  acquire(request: PermitRequest): MaybePromise<Permit | PermitRefusal | undefined>
}

/** A model call that requests a permit. */
export interface PermitRequest {
  readonly handle: Pick<ModelHandle, 'id' | 'limiterKey' | 'maxConcurrentCalls' | 'rateLimits' | 'endpoint'>
  readonly stop: CancellationToken
  /** Longest known wait in ms. A call that would have to wait longer is refused immediately. */
  readonly maxWaitMs: number
  /** False if another model can be called instead, so the call does not wait for an open circuit breaker. */
  readonly isLast: boolean
  /** Returns the tokens that the call may use. Called only if tokens or requests per minute are limited. */
  tokens(): number
  /** Called when the length of a wait becomes known, in ms. */
  onWait?(ms: number): void
}

/** Permission to send one model call. */
export interface Permit {
  /** Ends the call. Call once. */
  release(outcome: ModelCallOutcome): ReleaseNotice
}

/** Result of a model call, as the limiter needs it. */
export interface ModelCallOutcome {
  /** Code of the failure; `undefined` if the call succeeded. */
  readonly code?: string
  /** True if the provider refused the call because of high load: 429, 529 or 503. */
  readonly isThrottled?: boolean
  /** True if the caller ended the call, so it says nothing about the provider. */
  readonly isCancelled?: boolean
  /** Wait in ms that the provider asked for. */
  readonly retryAfterMs?: number
  /** Number of tokens used; `undefined` if not known. */
  readonly tokens?: number
}

/** Information for the caller after its call. */
export interface ReleaseNotice {
  /** Wait in ms that the provider asked for, plus random jitter; `undefined` if it asked for none. */
  readonly retryAfterMs?: number
  /** Set if this call has opened the circuit breaker. */
  readonly opened?: {
    /** Time in ms for which no calls are sent. */
    readonly forMs: number
    /** Number of failed calls and of all calls in the sample. */
    readonly failed: number
    readonly calls: number
  }
  /** Set if this call has closed the circuit breaker. */
  readonly isClosed?: true
}

/** Refusal of a model call. */
export interface PermitRefusal {
  /** `rate` if a rate limit would delay the call too long; `failing` if the circuit breaker is open. */
  readonly refused: 'rate' | 'failing'
  /** Time in ms until the call could be sent. */
  readonly waitMs: number
}
