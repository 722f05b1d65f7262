import type { Clock, MaybePromise } from '@troupe/schema'
import type {
  ProviderLimiter,
  ModelCallOutcome,
  Permit,
  PermitRefusal,
  PermitRequest,
  ReleaseNotice,
  ModelHandle,
} from '@troupe/schema/ports'
import { CircuitBreaker, type CircuitChange, type TrackedCall } from './circuit-breaker.ts'
import { systemClock } from '../run/clock.ts'
import { AdaptiveLimit, type CountedCall } from './adaptive-limit.ts'
import { WaitQueue, type QueueEntry } from './semaphore.ts'

/**
 * Creates the limiter of a process. Concurrency adapts per provider, key and model. Configured limits apply
 * per provider and key. Circuit breakers apply per provider and model, whatever the key.
 */
export function createProviderLimiter(
  parts: { readonly clock?: Clock; readonly random?: () => number } = {},
): ProviderLimiter {
  const { clock = systemClock, random = Math.random } = parts
  const keys = new Map<string, KeyLimiter>()
  const breakers = new Map<string, CircuitBreaker>()
  return {
    acquire: (request) => {
      const { limiterKey: key } = request.handle
      let limiter = keys.get(key)
      if (limiter === undefined) {
        const breakerOf = ({ id, endpoint = key }: typeof request.handle): CircuitBreaker =>
          getOrCreate(breakers, `${endpoint} ${id}`, () => new CircuitBreaker())
        keys.set(key, (limiter = new KeyLimiter({ clock, random, breakerOf })))
      }
      return limiter.acquire(request)
    },
  }
}

function getOrCreate<T>(map: Map<string, T>, key: string, create: () => T): T {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = create()))
  return value
}

/** Dependencies of a {@link KeyLimiter}. */
interface KeyLimiterParts {
  readonly clock: Clock
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  random(): number
  breakerOf(handle: PermitRequest['handle']): CircuitBreaker
}

/** State of one model with one key. */
interface KeyModel {
  readonly adaptive: AdaptiveLimit
  readonly breaker: CircuitBreaker
  readonly waiters: WaitQueue<PermitWaiter>
}

/** A waiting call. */
interface PermitWaiter {
  readonly request: PermitRequest
  readonly model: KeyModel
  /** Position among the waiting calls of all models of the key. */
  readonly order: number
  /** Latest monotonic time in ms to wait for. If a known wait is longer, the call is refused. */
  readonly latest: number
  isNotified: boolean
  settle(result: Permit | PermitRefusal | undefined): void
}

/** State of an acquired permit. */
interface PermitState {
  readonly model: KeyModel
  readonly hasSlot: boolean
  readonly counted: CountedCall
  readonly tracked: TrackedCall
  readonly minute: CountedTokens | undefined
}

/** Maximum jitter in ms per other call that waits for a `retry-after`. In total at most half of the wait. */
const SPREAD_MS = 20

/** Limits all calls with one provider and key. Calls wait in order, but not behind a blocked model. */
class KeyLimiter {
  readonly #parts: KeyLimiterParts
  readonly #models = new Map<string, KeyModel>()
  readonly #minute = new MinuteWindow()
  #slots = 0
  #waiting = 0
  #order = 0
  #timer: { readonly at: number; readonly cancel: () => void } | undefined
  /** Monotonic times in ms at which calls with a `retry-after` are retried. */
  #returnsAt: number[] = []

  constructor(parts: KeyLimiterParts) {
    this.#parts = parts
  }

  acquire(request: PermitRequest): MaybePromise<Permit | PermitRefusal | undefined> {
    if (request.stop.reason !== undefined) return undefined
    const model = this.#modelOf(request.handle)
    const now = this.#now()
    if (this.#waiting === 0 && this.#modelWaitMs(model, now) === 0 && this.#keyWaitMs(request, now) === 0)
      return this.#admit(request, model, now)
    const waitMs = model.breaker.waitMs(now)
    if (waitMs > 0 && (!request.isLast || waitMs > request.maxWaitMs)) return { refused: 'failing', waitMs }
    return this.#enqueue(request, model, now)
  }

  /** Ends a call. Call it once per permit. */
  release(state: PermitState, outcome: ModelCallOutcome): ReleaseNotice {
    const now = this.#now()
    const { model, minute } = state
    if (state.hasSlot) this.#slots -= 1
    if (minute !== undefined && outcome.tokens !== undefined) minute.tokens = outcome.tokens
    model.adaptive.end(state.counted, now, loadResult(outcome))
    const change = model.breaker.end(state.tracked, now, outcome)
    if (this.#waiting > 0) this.#admitWaiting()
    return this.#notice(change, outcome, now)
  }

  #modelOf(handle: PermitRequest['handle']): KeyModel {
    const known = this.#models.get(handle.id)
    if (known !== undefined) return known
    const breaker = this.#parts.breakerOf(handle)
    const model: KeyModel = { adaptive: new AdaptiveLimit(), breaker, waiters: new WaitQueue() }
    this.#models.set(handle.id, model)
    breaker.onChange(({ to, isAgain }) => {
      if (to === 'open') this.#refuseWaiting(model, isAgain)
      else this.#admitWaiting()
    })
    return model
  }

  #enqueue(
    request: PermitRequest,
    model: KeyModel,
    now: number,
  ): Promise<Permit | PermitRefusal | undefined> {
    return new Promise((resolve) => {
      const entry: QueueEntry<PermitWaiter> = model.waiters.push({
        request,
        model,
        order: (this.#order += 1),
        latest: now + request.maxWaitMs,
        isNotified: false,
        settle: (result) => {
          if (!model.waiters.remove(entry)) return
          this.#waiting -= 1
          unsubscribe()
          resolve(result)
        },
      })
      this.#waiting += 1
      const waiter = entry.value
      const unsubscribe = request.stop.onCancel(() => {
        waiter?.settle(undefined)
        this.#admitWaiting()
      })
      const waitMs = model.breaker.waitMs(now)
      if (waiter !== undefined && waitMs > 0) notify(waiter, waitMs)
      this.#admitWaiting()
    })
  }

  /** Admits waiting calls in order, and sets a timer for the next time that is known. */
  #admitWaiting(): void {
    const now = this.#now()
    let wakeMs = Infinity
    const wakeAfter = (ms: number): void => {
      wakeMs = Math.min(wakeMs, ms)
    }
    for (let next = this.#next(now); next !== undefined; next = this.#next(now)) {
      const { request, model } = next
      const waitMs = this.#keyWaitMs(request, now)
      if (waitMs === 0) next.settle(this.#admit(request, model, now))
      else if (waitMs !== Infinity && now + waitMs > next.latest) next.settle({ refused: 'rate', waitMs })
      else {
        if (waitMs !== Infinity) notify(next, waitMs)
        wakeAfter(waitMs)
        break
      }
    }
    for (const model of this.#models.values()) {
      const waitMs = model.waiters.size === 0 ? 0 : this.#modelWaitMs(model, now)
      if (waitMs > 0) wakeAfter(waitMs)
    }
    this.#wakeAt(now + wakeMs)
  }

  /** Returns the call that has waited longest among the models that accept one. */
  #next(now: number): PermitWaiter | undefined {
    let next: PermitWaiter | undefined
    for (const model of this.#models.values()) {
      const first = model.waiters.first()?.value
      if (first === undefined || (next !== undefined && next.order < first.order)) continue
      if (this.#modelWaitMs(model, now) === 0) next = first
    }
    return next
  }

  /**
   * Refuses waiting calls that another model can answer, after the circuit breaker opened. If its probes
   * failed, refuses all waiting calls.
   */
  #refuseWaiting(model: KeyModel, isAgain: boolean): void {
    const now = this.#now()
    const waitMs = model.breaker.waitMs(now)
    if (!isAgain) model.adaptive.restart(now)
    for (const { value: waiter } of model.waiters.values()) {
      if (waiter === undefined) continue
      if (isAgain || !waiter.request.isLast || now + waitMs > waiter.latest)
        waiter.settle({ refused: 'failing', waitMs })
      else notify(waiter, waitMs)
    }
    this.#admitWaiting()
  }

  #modelWaitMs({ breaker, adaptive }: KeyModel, now: number): number {
    return breaker.waitMs(now) || adaptive.waitMs(now)
  }

  /** Returns the wait in ms for the configured limits, or `Infinity` if it depends on other calls. */
  #keyWaitMs({ handle: { maxConcurrentCalls, rateLimits }, tokens }: PermitRequest, now: number): number {
    if (maxConcurrentCalls !== undefined && this.#slots >= maxConcurrentCalls) return Infinity
    return rateLimits === undefined ? 0 : this.#minute.waitMs(rateLimits, tokens(), now)
  }

  #admit({ handle, tokens }: PermitRequest, model: KeyModel, now: number): Permit {
    const hasSlot = handle.maxConcurrentCalls !== undefined
    if (hasSlot) this.#slots += 1
    return new KeyPermit(this, {
      model,
      hasSlot,
      counted: model.adaptive.begin(now),
      tracked: model.breaker.begin(now),
      minute: handle.rateLimits === undefined ? undefined : this.#minute.add(tokens(), now),
    })
  }

  #wakeAt(at: number): void {
    const timer = this.#timer
    if (this.#waiting > 0 && timer !== undefined && timer.at <= at) return
    timer?.cancel()
    this.#timer = undefined
    if (this.#waiting === 0 || at === Infinity) return
    // whole ms: a remainder that is too small to advance the clock would repeat forever
    const cancel = this.#parts.clock.after(Math.ceil(at - this.#now()), () => {
      this.#timer = undefined
      this.#admitWaiting()
    })
    this.#timer = { at, cancel }
  }

  #notice(change: CircuitChange | undefined, { retryAfterMs }: ModelCallOutcome, now: number): ReleaseNotice {
    // a `retry-after` of 0 would only repeat the refusal
    const hasRetryAfter = retryAfterMs !== undefined && retryAfterMs > 0
    if (change === undefined && !hasRetryAfter) return NO_NOTICE
    return {
      ...(hasRetryAfter ? { retryAfterMs: Math.ceil(retryAfterMs + this.#spread(retryAfterMs, now)) } : {}),
      ...(change?.to === 'open' ? { opened: change } : {}),
      ...(change?.to === 'closed' ? { isClosed: true } : {}),
    }
  }

  /**
   * Returns a random delay that grows with the number of other calls to be retried, so that they do not retry
   * in step. 0 if there is no other call.
   */
  #spread(waitMs: number, now: number): number {
    this.#returnsAt = this.#returnsAt.filter((at) => at >= now)
    const spread = this.#parts.random() * Math.min(waitMs / 2, SPREAD_MS * this.#returnsAt.length)
    this.#returnsAt.push(now + waitMs + spread)
    return spread
  }

  #now(): number {
    return this.#parts.clock.monotonic()
  }
}

/** A class to save memory: every model call has one. */
class KeyPermit implements Permit {
  readonly #limiter: KeyLimiter
  readonly #state: PermitState

  constructor(limiter: KeyLimiter, state: PermitState) {
    this.#limiter = limiter
    this.#state = state
  }

  release(outcome: ModelCallOutcome): ReleaseNotice {
    return this.#limiter.release(this.#state, outcome)
  }
}

function loadResult({
  code,
  isThrottled,
  isCancelled,
}: ModelCallOutcome): 'answered' | 'throttled' | 'other' {
  if (isThrottled === true) return 'throttled'
  return code === undefined && isCancelled !== true ? 'answered' : 'other'
}

/** Reports the wait, once per call. */
function notify(waiter: PermitWaiter, ms: number): void {
  if (waiter.isNotified) return
  waiter.isNotified = true
  waiter.request.onWait?.(Math.ceil(ms))
}

const NO_NOTICE: ReleaseNotice = Object.freeze({})

const MINUTE_MS = 60_000

/** A call that counts in a {@link MinuteWindow}. */
interface CountedTokens {
  readonly at: number
  tokens: number
}

/** The calls of the last minute with one key. Times are monotonic. */
class MinuteWindow {
  #calls: CountedTokens[] = []

  /**
   * Returns how long a call with `tokens` must wait for the limits in ms, or 0. A call that is larger than
   * the whole limit may be sent alone, as only the provider can tell if it accepts it.
   */
  waitMs(limits: NonNullable<ModelHandle['rateLimits']>, tokens: number, now: number): number {
    const { requestsPerMinute = Infinity, tokensPerMinute = Infinity } = limits
    this.#calls = this.#calls.filter(({ at }) => now - at < MINUTE_MS)
    let requests = this.#calls.length
    let used = this.#calls.reduce((sum, call) => sum + call.tokens, 0)
    const fits = (): boolean =>
      requests === 0 || (requests < requestsPerMinute && used + tokens <= tokensPerMinute)
    if (fits()) return 0
    for (const call of this.#calls) {
      requests -= 1
      used -= call.tokens
      if (fits()) return call.at + MINUTE_MS - now
    }
    return 0
  }

  /** Counts a call with its estimated tokens. Set `tokens` of the result when the actual number is known. */
  add(tokens: number, now: number): CountedTokens {
    const call = { at: now, tokens }
    this.#calls.push(call)
    return call
  }
}
