import { failure, type Failure, type RunControl, type StopSource } from '@troupe/schema'

/** One cause to stop, shared by everything of a run or a call. Listening costs little; the AbortSignal is made when first read. */
export interface Stop extends StopSource {
  /** Aborts with the reason. */
  readonly signal: AbortSignal
  /** Stops once; later calls change nothing. */
  stop(reason: Failure): void
  /** Takes it off what is above it. */
  detach(): void
}

/** A stop that also stops when `above` does: another stop, or the signal of a caller. */
export function createStop(above?: Stop | AbortSignal): Stop {
  return new LinkedStop(above)
}

/** The stop of a run: whatever stops the one who holds it cancels the run. */
export function createRunStop(control: RunControl): Stop {
  return control.stop === undefined
    ? new LinkedStop(control.signal)
    : new LinkedStop(control.stop, cancelledBy)
}

/** A function, or a stop below: as itself, for each that waits has two, and a closure for each costs as much again. */
type Listener = ((reason: Failure) => void) | LinkedStop

/** A class, as there are several of them in every turn: an object with getters and closures of its own costs 1.5 µs and 0.8 KB. */
class LinkedStop implements Stop {
  reason: Failure | undefined
  /** Hardly ever more than one listens. */
  #first: Listener | undefined
  #others: Set<Listener> | undefined
  #controller: AbortController | undefined
  /** What is above it, until it is taken off: a stop, or what takes it off something else. */
  #above: LinkedStop | (() => void) | undefined
  readonly #toReason: (why: Failure) => Failure

  constructor(above: StopSource | AbortSignal | undefined, toReason: (why: Failure) => Failure = same) {
    this.#toReason = toReason
    if (above instanceof LinkedStop) this.#above = above.add(this)
    else if (above !== undefined) this.#above = link(above, (why) => this.hear(why))
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.reason !== undefined) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  stop(reason: Failure): void {
    if (this.reason !== undefined) return
    this.reason = reason
    this.detach()
    this.#controller?.abort(reason)
    if (this.#first !== undefined) tell(this.#first, reason)
    for (const listener of this.#others ?? []) tell(listener, reason)
    this.#first = undefined
    this.#others = undefined
  }

  onStop(fn: (reason: Failure) => void): () => void {
    if (this.add(fn) === undefined) return nothing
    return () => this.remove(fn)
  }

  detach(): void {
    const above = this.#above
    this.#above = undefined
    if (above instanceof LinkedStop) above.remove(this)
    else above?.()
  }

  /** What is above has stopped. */
  hear(why: Failure): void {
    this.stop(this.#toReason(why))
  }

  /** Tells a listener at once where it has stopped; there is nothing to take it off then. */
  add(listener: Listener): this | undefined {
    if (this.reason !== undefined) {
      tell(listener, this.reason)
      return undefined
    }
    if (this.#first === undefined) this.#first = listener
    else (this.#others ??= new Set()).add(listener)
    return this
  }

  remove(listener: Listener): void {
    if (this.#first === listener) this.#first = undefined
    else this.#others?.delete(listener)
  }
}

function tell(listener: Listener, reason: Failure): void {
  if (listener instanceof LinkedStop) listener.hear(reason)
  else listener(reason)
}

function same(reason: Failure): Failure {
  return reason
}

/** Calls `fn` when whoever holds a run stops it; the answer takes the listener back. */
export function onStopOf({ stop, signal }: Pick<RunControl, 'stop' | 'signal'>, fn: () => void): () => void {
  return stop === undefined ? link(signal, fn) : stop.onStop(fn)
}

function link(above: StopSource | AbortSignal, stop: (reason: Failure) => void): () => void {
  if (!(above instanceof AbortSignal)) return above.onStop(stop)
  const abort = (): void => stop(cancelledBy(above.reason))
  if (above.aborted) {
    abort()
    return nothing
  }
  above.addEventListener('abort', abort, { once: true })
  return () => above.removeEventListener('abort', abort)
}

const STOPPED = 'The run was stopped'
const RESUMABLE: ReadonlySet<string> = new Set(['run_waiting', 'run_interrupted'])

/** Returns true if a run that stops for this reason can be resumed: what ends from now on is not saved, and is done again. */
export function isResumable({ code }: Failure): boolean {
  return RESUMABLE.has(code)
}

/** Returns the failure of a run whose caller stopped it. A reason that the caller got from its own caller is passed on unchanged. */
export function cancelledBy(reason: unknown): Failure {
  const cause = reason as Failure | undefined
  // the reason of a bare `abort()` is a DOMException, whose code is a number
  if (typeof cause?.code !== 'string') return failure('run_cancelled', `${STOPPED}.`)
  // a run that is suspended or interrupted has not been cancelled: it can be resumed
  if (isResumable(cause) || cause.message.startsWith(STOPPED)) return cause
  return failure('run_cancelled', `${STOPPED}: ${cause.message}`)
}

function nothing(): void {
  // nothing to release
}

/** Settles with the promise, or with undefined as soon as the stop fires. What the promise does afterwards goes to nobody. */
export function untilStop<T>(promise: PromiseLike<T>, stop: Stop): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const off = stop.onStop(() => resolve(undefined))
    promise.then(
      (value) => {
        off()
        resolve(value)
      },
      (error: unknown) => {
        off()
        reject(error)
      },
    )
  })
}

/** The same for a stop that lives no longer than what is waited for: its listener need not be taken back. */
export function untilOwnStop<T>(promise: PromiseLike<T>, stop: Stop): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    stop.onStop(() => resolve(undefined))
    promise.then(resolve, reject)
  })
}

/** Waits, or returns early when the stop fires. */
export function sleep(
  ms: number,
  stop: StopSource,
  clock: { after(ms: number, fn: () => void): () => void },
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => {
      off()
      resolve()
    })
    const off = stop.onStop(() => {
      cancel()
      resolve()
    })
  })
}
