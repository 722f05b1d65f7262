import type {
  Clock,
  LaneCall,
  LaneNews,
  LanePass,
  LaneRefusal,
  LaneReport,
  MaybePromise,
} from '@troupe/schema'
import { CIRCUIT_OPEN_MS, PROBE_MS, type Circuit } from './circuit.ts'
import { createMinuteWindow, type MinuteWindow } from './minute-window.ts'
import { retryDelay } from '../model-faults/retry-delay.ts'
import { createSlots, type Slots } from './slots.ts'
import { sleep } from '../time/stop.ts'

/** What a lane is made of. */
export interface LaneParts {
  readonly clock: Clock
  random(): number
  readonly circuit: Circuit
}

/** After a limit of rate the calls that wait go out spread over so much time each. */
const SPREAD_MS = 100
const LARGEST_SPREAD_MS = 30_000

/**
 * All calls with one provider and key. What the provider says to one of them holds for all: while it wants to be left alone nothing is sent,
 * and afterwards those who waited go out spread over time, each at a moment of its own, so that they do not retry in step.
 */
export class Lane {
  readonly #parts: LaneParts
  /** The first limits that a call names stay; a call that names none is not held by them. */
  #slots: Slots | undefined
  #window: MinuteWindow | undefined
  /** Calls under a limit of a minute wait in order: one looks at the clock, the others wait for it. */
  readonly #turnstile: Slots = createSlots(1)
  #pausedUntil = 0
  /** Limits of rate in a row. */
  #strikes = 0
  /** When calls that were told to wait will be back. */
  #due: number[] = []

  constructor(parts: LaneParts) {
    this.#parts = parts
  }

  enter(call: LaneCall): MaybePromise<LanePass | LaneRefusal | undefined> {
    if (call.stop.reason !== undefined) return undefined
    const { clock, circuit } = this.#parts
    const { laneSize, laneLimits } = call.handle
    const isFree = laneSize === undefined && laneLimits === undefined && this.#pausedUntil === 0
    const admission = isFree ? circuit.admit(clock.monotonic()) : undefined
    if (admission !== undefined && 'isProbe' in admission) return this.#pass(admission)
    return this.#admit(call, 0)
  }

  /** One look at everything that may be in the way, in the order of what takes longest; again after each wait. */
  async #admit(call: LaneCall, periods: number): Promise<LanePass | LaneRefusal | undefined> {
    const paused = this.#pausedMs()
    if (paused > 0) {
      if (paused > call.patienceMs) return { refused: 'rate', waitMs: paused }
      return (await this.#sleep(call, paused + this.#spread(paused))) ? this.#admit(call, periods) : undefined
    }
    const release = await this.#takeSlot(call)
    if (release === undefined) return undefined
    const counted = await this.#takeMinute(call)
    if (counted === undefined || 'refused' in counted) {
      release()
      return counted
    }
    // others may have been told something while this one waited
    const admission = this.#pausedMs() > 0 ? undefined : this.#parts.circuit.admit(this.#now())
    if (admission !== undefined && 'isProbe' in admission)
      return this.#pass({ isProbe: admission.isProbe, release, settle: counted.settle })
    release()
    counted.settle('unsent')
    if (admission === undefined) return this.#admit(call, periods)
    return this.#waitForProvider(call, { waitMs: admission.waitMs, periods })
  }

  /** Once where no other model could be asked; the probe of another call is waited for. */
  async #waitForProvider(
    call: LaneCall,
    { waitMs, periods }: { readonly waitMs: number; readonly periods: number },
  ): Promise<LanePass | LaneRefusal | undefined> {
    const isClosedAgain = periods > 0 && waitMs > PROBE_MS
    if (!call.isLast || isClosedAgain || periods > MOST_LOOKS || waitMs > call.patienceMs)
      return { refused: 'failing', waitMs }
    const goesOn = await this.#sleep(call, waitMs + this.#spread(waitMs))
    return goesOn ? this.#admit(call, periods + 1) : undefined
  }

  #takeSlot({ handle: { laneSize }, stop }: LaneCall): ReturnType<Slots['enter']> {
    if (laneSize === undefined) return free
    this.#slots ??= createSlots(laneSize)
    return this.#slots.enter(stop)
  }

  async #takeMinute(
    call: LaneCall,
  ): Promise<{ readonly settle: (used: number | 'unsent') => void } | LaneRefusal | undefined> {
    const { laneLimits } = call.handle
    if (laneLimits === undefined) return UNCOUNTED
    const window = (this.#window ??= createMinuteWindow(laneLimits))
    const next = await this.#turnstile.enter(call.stop)
    if (next === undefined) return undefined
    try {
      const tokens = call.tokens()
      for (;;) {
        const waitMs = window.waitMs(tokens, this.#now())
        if (waitMs === 0) return { settle: window.take(tokens, this.#now()) }
        if (waitMs > call.patienceMs) return { refused: 'rate', waitMs }
        if (!(await this.#sleep(call, waitMs))) return undefined
      }
    } finally {
      next()
    }
  }

  #pass(held: HeldPlace): LanePass {
    return new Pass(this, held)
  }

  /** A call that was let through is over. */
  left(held: HeldPlace, report: LaneReport): LaneNews {
    held.release?.()
    if (report.tokens !== undefined) held.settle?.(report.tokens)
    const change = this.#parts.circuit.settle({
      code: report.code,
      isProbe: held.isProbe,
      now: this.#now(),
    })
    const waitMs = this.#pauseAfter(report)
    if (change === undefined && waitMs === undefined) return NO_NEWS
    return {
      ...(waitMs === undefined ? {} : { waitMs }),
      ...(change === 'opened' ? { closedForMs: CIRCUIT_OPEN_MS } : {}),
      ...(change === 'closed' ? { isOpenAgain: true } : {}),
    }
  }

  /** A limit of rate, or a wait that the provider asks for, holds for the whole lane. */
  #pauseAfter({ code, retryAfterMs }: LaneReport): number | undefined {
    if (code === undefined) this.#strikes = 0
    if (code !== 'model_rate_limited' && retryAfterMs === undefined) return undefined
    const now = this.#now()
    if (now >= this.#pausedUntil) this.#strikes += 1
    // "at once" is what brought the limit about
    const asked = retryAfterMs === 0 ? undefined : retryAfterMs
    const own = retryDelay(this.#strikes, asked, this.#parts.random)
    // one that was sent before the others were told to wait makes the wait longer only if the provider said so
    const until = now + own
    if (asked !== undefined || now >= this.#pausedUntil)
      this.#pausedUntil = Math.max(this.#pausedUntil, until)
    // not `until - now`, of which fractions of a ms may be left
    const waitMs = this.#pausedUntil > until ? this.#pausedUntil - now : own
    return Math.ceil(waitMs + this.#spread(waitMs))
  }

  /** Full jitter over a time that grows with the calls that are told to come back; none for a call that is alone. */
  #spread(waitMs: number): number {
    const now = this.#now()
    this.#due = this.#due.filter((at) => at >= now)
    const window = Math.min(LARGEST_SPREAD_MS, SPREAD_MS * this.#due.length)
    const spread = this.#parts.random() * window
    this.#due.push(now + waitMs + spread)
    return spread
  }

  #pausedMs(): number {
    if (this.#pausedUntil === 0) return 0
    const left = this.#pausedUntil - this.#now()
    if (left <= 0) this.#pausedUntil = 0
    return Math.max(0, left)
  }

  /** False: the call was stopped meanwhile. */
  async #sleep(call: LaneCall, ms: number): Promise<boolean> {
    call.onWait?.(Math.ceil(ms))
    await sleep(Math.ceil(ms), call.stop, this.#parts.clock)
    return call.stop.reason === undefined
  }

  #now(): number {
    return this.#parts.clock.monotonic()
  }
}

/** What a call holds of its lane. */
interface HeldPlace {
  readonly isProbe: boolean
  readonly release?: (() => void) | undefined
  readonly settle?: (used: number) => void
}

/** A class, as every model call that waits has one. */
class Pass implements LanePass {
  readonly #lane: Lane
  readonly #held: HeldPlace

  constructor(lane: Lane, held: HeldPlace) {
    this.#lane = lane
    this.#held = held
  }

  leave(report: LaneReport): LaneNews {
    return this.#lane.left(this.#held, report)
  }
}

function free(): void {
  // a call without a slot has none to give back
}

/** How often a call looks whether the probe of another one has ended. */
const MOST_LOOKS = 30
const NO_NEWS: LaneNews = Object.freeze({})
const UNCOUNTED = Object.freeze({ settle: (): void => undefined })
