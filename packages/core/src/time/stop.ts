import { failure, type Failure, type RunControl, type StopSource } from '@troupe/schema'

/** A cancellation shared by all parts of a run or call. Its AbortSignal is created when first read. */
export interface Stop extends StopSource {
  /** Signal that aborts with the reason. */
  readonly signal: AbortSignal
  /** Cancels with a reason. Later calls have no effect. */
  stop(reason: Failure): void
  /** Removes the listener on the parent. */
  detach(): void
}

/** Creates a cancellation that is also cancelled by `above`: another cancellation or a caller's signal. */
export function createStop(above?: Stop | AbortSignal): Stop {
  return new LinkedStop(above)
}

/** Creates the cancellation of a run, which is cancelled with its caller. */
export function createRunStop(control: RunControl): Stop {
  return control.stop === undefined
    ? new LinkedStop(control.signal)
    : new LinkedStop(control.stop, cancelledBy)
}

/** A function or a child, which is stored directly because a closure would double its memory. */
type Listener = ((reason: Failure) => void) | LinkedStop

/** A class, because every turn creates several: an object with closures would cost 1.5 µs and 0.8 KB each. */
class LinkedStop implements Stop {
  reason: Failure | undefined
  /** First listener. There is rarely more than one. */
  #first: Listener | undefined
  #others: Set<Listener> | undefined
  #controller: AbortController | undefined
  /** The parent, or a function that removes the listener on it. `undefined` once detached. */
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

  /** Called when the parent is cancelled. */
  hear(why: Failure): void {
    this.stop(this.#toReason(why))
  }

  /** Adds a listener. If already cancelled, calls it at once and returns `undefined`. */
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

/** Calls `fn` when the caller cancels the run. Returns a function that removes the listener. */
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

/** Returns true if a run that ends for this reason can be resumed. Its later results are not stored. */
export function isResumable({ code }: Failure): boolean {
  return RESUMABLE.has(code)
}

/**
 * Converts the reason of a caller's cancellation to the failure of the run. A reason that the caller received
 * from its own caller is unchanged.
 */
export function cancelledBy(reason: unknown): Failure {
  const cause = reason as Failure | undefined
  // the reason of a bare `abort()` is a DOMException, whose code is a number
  if (typeof cause?.code !== 'string') return failure('run_cancelled', `${STOPPED}.`)
  // a suspended or interrupted run is not cancelled: it can be resumed
  if (isResumable(cause) || cause.message.startsWith(STOPPED)) return cause
  return failure('run_cancelled', `${STOPPED}: ${cause.message}`)
}

function nothing(): void {
  // nothing to release
}

/** Settles with the promise, or resolves with `undefined` when cancelled and ignores the promise. */
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

/** Like {@link untilStop}, but leaves the listener to a cancellation that ends with the promise. */
export function untilOwnStop<T>(promise: PromiseLike<T>, stop: Stop): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    stop.onStop(() => resolve(undefined))
    promise.then(resolve, reject)
  })
}

/** Waits `ms` milliseconds, or less if cancelled. */
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
