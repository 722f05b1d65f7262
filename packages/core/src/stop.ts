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
  return control.stop === undefined ? new LinkedStop(control.signal) : new LinkedStop(control.stop, cancelled)
}

type Listener = (reason: Failure) => void

/** A class, as there are several of them in every turn: an object with getters and closures of its own costs 1.5 µs and 0.8 KB. */
class LinkedStop implements Stop {
  reason: Failure | undefined
  /** Hardly ever more than one listens. */
  #first: Listener | undefined
  #others: Set<Listener> | undefined
  #controller: AbortController | undefined
  #release: () => void = nothing

  constructor(above: StopSource | AbortSignal | undefined, toReason: (why: Failure) => Failure = same) {
    if (above !== undefined) this.#release = link(above, (why) => this.stop(toReason(why)))
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
    this.#release()
    this.#controller?.abort(reason)
    this.#first?.(reason)
    for (const listener of this.#others ?? []) listener(reason)
    this.#first = undefined
    this.#others = undefined
  }

  onStop(fn: Listener): () => void {
    if (this.reason !== undefined) {
      fn(this.reason)
      return nothing
    }
    if (this.#first === undefined) this.#first = fn
    else (this.#others ??= new Set()).add(fn)
    return () => {
      if (this.#first === fn) this.#first = undefined
      else this.#others?.delete(fn)
    }
  }

  detach(): void {
    this.#release()
  }
}

function same(reason: Failure): Failure {
  return reason
}

function link(above: StopSource | AbortSignal, stop: Listener): () => void {
  if (!(above instanceof AbortSignal)) return above.onStop(stop)
  const abort = (): void => stop(cancelled(above.reason))
  if (above.aborted) {
    abort()
    return nothing
  }
  above.addEventListener('abort', abort, { once: true })
  return () => above.removeEventListener('abort', abort)
}

const STOPPED = 'The run was stopped'

/** The failure of a run whose caller stopped it; what the caller heard from its own caller is passed on as it is. */
function cancelled(reason: unknown): Failure {
  const cause = reason as Failure | undefined
  if (cause?.code === undefined) return failure('run_cancelled', `${STOPPED}.`)
  // a run that is left to wait has not been stopped for good
  if (cause.code === 'run_waiting' || cause.message.startsWith(STOPPED)) return cause
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
