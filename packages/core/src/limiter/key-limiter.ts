import type {
  Clock,
  MaybePromise,
  ModelCallOutcome,
  Permit,
  PermitRefusal,
  PermitRequest,
  ReleaseNotice,
} from '@troupe/schema'
import { AdaptiveLimit, type CountedCall } from './adaptive-limit.ts'
import type { CircuitBreaker, CircuitChange, TrackedCall } from './circuit-breaker.ts'
import { MinuteWindow, type CountedTokens } from './minute-window.ts'
import { WaitQueue, type QueueEntry } from './wait-queue.ts'

/** The parts of a {@link KeyLimiter}. */
export interface KeyLimiterParts {
  readonly clock: Clock
  /** 0 ≤ x < 1. */
  random(): number
  breakerOf(handle: PermitRequest['handle']): CircuitBreaker
}

/** A model, as it is called with one key. */
interface KeyModel {
  readonly adaptive: AdaptiveLimit
  readonly breaker: CircuitBreaker
  readonly waiters: WaitQueue<Waiter>
}

/** A call that waits. */
interface Waiter {
  readonly request: PermitRequest
  readonly model: KeyModel
  /** Over all models of the key. */
  readonly order: number
  /** No wait is begun that ends later. */
  readonly latest: number
  isNotified: boolean
  settle(result: Permit | PermitRefusal | undefined): void
}

/** What a call holds. */
interface HeldPermit {
  readonly model: KeyModel
  readonly hasSlot: boolean
  readonly counted: CountedCall
  readonly tracked: TrackedCall
  readonly minute: CountedTokens | undefined
}

/** Calls that were told to wait come back spread over so much for each of them, at most over half of the wait. */
const SPREAD_MS = 20

/** Limits all calls with one provider and key. Calls wait in order, but those of one model do not wait for another model that accepts none. */
export class KeyLimiter {
  readonly #parts: KeyLimiterParts
  readonly #models = new Map<string, KeyModel>()
  readonly #minute = new MinuteWindow()
  #slots = 0
  #waiting = 0
  #order = 0
  #timer: { readonly at: number; readonly cancel: () => void } | undefined
  /** When the calls come back that the provider told to wait. */
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

  /** Ends a call. Called once for each permit. */
  release(held: HeldPermit, outcome: ModelCallOutcome): ReleaseNotice {
    const now = this.#now()
    const { model, minute } = held
    if (held.hasSlot) this.#slots -= 1
    if (minute !== undefined && outcome.tokens !== undefined) minute.tokens = outcome.tokens
    model.adaptive.end(held.counted, now, loadResult(outcome))
    const change = model.breaker.end(held.tracked, now, outcome)
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
      const entry: QueueEntry<Waiter> = model.waiters.push({
        request,
        model,
        order: (this.#order += 1),
        latest: now + request.maxWaitMs,
        isNotified: false,
        settle: (result) => {
          if (!model.waiters.remove(entry)) return
          this.#waiting -= 1
          off()
          resolve(result)
        },
      })
      this.#waiting += 1
      const waiter = entry.value
      const off = request.stop.onStop(() => {
        waiter?.settle(undefined)
        this.#admitWaiting()
      })
      const waitMs = model.breaker.waitMs(now)
      if (waiter !== undefined && waitMs > 0) notify(waiter, waitMs)
      this.#admitWaiting()
    })
  }

  /** Sends every call that may be sent, in order, and sets the timer for the next one whose time is known. */
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

  /** Returns the call that has waited longest for a model that accepts one. */
  #next(now: number): Waiter | undefined {
    let next: Waiter | undefined
    for (const model of this.#models.values()) {
      const first = model.waiters.first()?.value
      if (first === undefined || (next !== undefined && next.order < first.order)) continue
      if (this.#modelWaitMs(model, now) === 0) next = first
    }
    return next
  }

  /** The circuit breaker has opened: calls that another model can answer go there. After failed probes every call that waited has failed once. */
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

  /** Returns the wait for the limits of the configuration: `Infinity` if it depends on other calls. */
  #keyWaitMs({ handle: { laneSize, laneLimits }, tokens }: PermitRequest, now: number): number {
    if (laneSize !== undefined && this.#slots >= laneSize) return Infinity
    return laneLimits === undefined ? 0 : this.#minute.waitMs(laneLimits, tokens(), now)
  }

  #admit({ handle, tokens }: PermitRequest, model: KeyModel, now: number): Permit {
    const hasSlot = handle.laneSize !== undefined
    if (hasSlot) this.#slots += 1
    return new HeldCall(this, {
      model,
      hasSlot,
      counted: model.adaptive.begin(now),
      tracked: model.breaker.begin(now),
      minute: handle.laneLimits === undefined ? undefined : this.#minute.add(tokens(), now),
    })
  }

  #wakeAt(at: number): void {
    const timer = this.#timer
    if (this.#waiting > 0 && timer !== undefined && timer.at <= at) return
    timer?.cancel()
    this.#timer = undefined
    if (this.#waiting === 0 || at === Infinity) return
    // whole ms: a rest that is too small to move the clock would come back for ever
    const cancel = this.#parts.clock.after(Math.ceil(at - this.#now()), () => {
      this.#timer = undefined
      this.#admitWaiting()
    })
    this.#timer = { at, cancel }
  }

  #notice(change: CircuitChange | undefined, { retryAfterMs }: ModelCallOutcome, now: number): ReleaseNotice {
    // "at once" is what brought the refusal about
    const isAsked = retryAfterMs !== undefined && retryAfterMs > 0
    if (change === undefined && !isAsked) return NO_NOTICE
    return {
      ...(isAsked ? { retryAfterMs: Math.ceil(retryAfterMs + this.#spread(retryAfterMs, now)) } : {}),
      ...(change?.to === 'open' ? { opened: change } : {}),
      ...(change?.to === 'closed' ? { isClosed: true } : {}),
    }
  }

  /** Returns a random time that grows with the calls that come back as well, so that they do not come back in step. 0 for a call that is alone. */
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

/** A class, because every model call has one. */
class HeldCall implements Permit {
  readonly #limiter: KeyLimiter
  readonly #held: HeldPermit

  constructor(limiter: KeyLimiter, held: HeldPermit) {
    this.#limiter = limiter
    this.#held = held
  }

  release(outcome: ModelCallOutcome): ReleaseNotice {
    return this.#limiter.release(this.#held, outcome)
  }
}

function loadResult({ code, isThrottled, isStopped }: ModelCallOutcome): 'answered' | 'throttled' | 'other' {
  if (isThrottled === true) return 'throttled'
  return code === undefined && isStopped !== true ? 'answered' : 'other'
}

/** Reports a wait once: a second report would say the same again. */
function notify(waiter: Waiter, ms: number): void {
  if (waiter.isNotified) return
  waiter.isNotified = true
  waiter.request.onWait?.(Math.ceil(ms))
}

const NO_NOTICE: ReleaseNotice = Object.freeze({})
