import { failure, type Failure } from '@troupe/schema'
import type { RunControl, CancellationToken } from '@troupe/schema/ports'

/** A cancellation shared by all parts of a run or call. Its AbortSignal is created when first read. */
export interface Cancellation extends CancellationToken {
  /** Signal that aborts with the reason. */
  readonly signal: AbortSignal
  /** Cancels with a reason. Later calls have no effect. */
  cancel(reason: Failure): void
  /** Removes the listener on the parent. */
  detach(): void
}

/** Creates a cancellation that is also cancelled by `parent`: another cancellation or a caller's signal. */
export function createCancellation(parent?: Cancellation | AbortSignal): Cancellation {
  return new LinkedCancellation(parent)
}

/** Creates the cancellation of a run, which is cancelled with its caller. */
export function createRunCancellation(control: RunControl): Cancellation {
  return control.stop === undefined
    ? new LinkedCancellation(control.signal)
    : new LinkedCancellation(control.stop, cancelledBy)
}

/** A function or a child, which is stored directly because a closure would double its memory. */
type CancellationListener = ((reason: Failure) => void) | LinkedCancellation

/** A class, because every turn creates several: an object with closures would cost 1.5 µs and 0.8 KB each. */
class LinkedCancellation implements Cancellation {
  reason: Failure | undefined
  /** First listener. There is rarely more than one. */
  #first: CancellationListener | undefined
  #others: Set<CancellationListener> | undefined
  #controller: AbortController | undefined
  /** The parent, or a function that removes the listener on it. `undefined` once detached. */
  #parent: LinkedCancellation | (() => void) | undefined
  readonly #toReason: (why: Failure) => Failure

  constructor(
    parent: CancellationToken | AbortSignal | undefined,
    toReason: (why: Failure) => Failure = identity,
  ) {
    this.#toReason = toReason
    if (parent instanceof LinkedCancellation) this.#parent = parent.add(this)
    else if (parent !== undefined) this.#parent = link(parent, (why) => this.cancelFromParent(why))
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.reason !== undefined) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  cancel(reason: Failure): void {
    if (this.reason !== undefined) return
    this.reason = reason
    this.detach()
    this.#controller?.abort(reason)
    if (this.#first !== undefined) notifyListener(this.#first, reason)
    for (const listener of this.#others ?? []) notifyListener(listener, reason)
    this.#first = undefined
    this.#others = undefined
  }

  onCancel(fn: (reason: Failure) => void): () => void {
    if (this.add(fn) === undefined) return noop
    return () => this.remove(fn)
  }

  detach(): void {
    const parent = this.#parent
    this.#parent = undefined
    if (parent instanceof LinkedCancellation) parent.remove(this)
    else parent?.()
  }

  /** Called when the parent is cancelled. */
  cancelFromParent(why: Failure): void {
    this.cancel(this.#toReason(why))
  }

  /** Adds a listener. If already cancelled, calls it at once and returns `undefined`. */
  add(listener: CancellationListener): this | undefined {
    if (this.reason !== undefined) {
      notifyListener(listener, this.reason)
      return undefined
    }
    if (this.#first === undefined) this.#first = listener
    else (this.#others ??= new Set()).add(listener)
    return this
  }

  remove(listener: CancellationListener): void {
    if (this.#first === listener) this.#first = undefined
    else this.#others?.delete(listener)
  }
}

function notifyListener(listener: CancellationListener, reason: Failure): void {
  if (listener instanceof LinkedCancellation) listener.cancelFromParent(reason)
  else listener(reason)
}

function identity(reason: Failure): Failure {
  return reason
}

/** Calls `fn` when the caller cancels the run. Returns a function that removes the listener. */
export function onCallerCancel(
  { stop, signal }: Pick<RunControl, 'stop' | 'signal'>,
  fn: () => void,
): () => void {
  return stop === undefined ? link(signal, fn) : stop.onCancel(fn)
}

function link(parent: CancellationToken | AbortSignal, stop: (reason: Failure) => void): () => void {
  if (!(parent instanceof AbortSignal)) return parent.onCancel(stop)
  const abort = (): void => stop(cancelledBy(parent.reason))
  if (parent.aborted) {
    abort()
    return noop
  }
  parent.addEventListener('abort', abort, { once: true })
  return () => parent.removeEventListener('abort', abort)
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

function noop(): void {
  // nothing to release
}

/** Settles with the promise, or resolves with `undefined` when cancelled and ignores the promise. */
export function raceCancellation<T>(promise: PromiseLike<T>, stop: Cancellation): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const unsubscribe = stop.onCancel(() => resolve(undefined))
    promise.then(
      (value) => {
        unsubscribe()
        resolve(value)
      },
      (error: unknown) => {
        unsubscribe()
        reject(error)
      },
    )
  })
}

/** Like {@link raceCancellation}, but leaves the listener to a cancellation that ends with the promise. */
export function raceOwnCancellation<T>(promise: PromiseLike<T>, stop: Cancellation): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    stop.onCancel(() => resolve(undefined))
    promise.then(resolve, reject)
  })
}

/** Waits `ms` milliseconds, or less if cancelled. */
export function sleep(
  ms: number,
  stop: CancellationToken,
  clock: { after(ms: number, fn: () => void): () => void },
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => {
      unsubscribe()
      resolve()
    })
    const unsubscribe = stop.onCancel(() => {
      cancel()
      resolve()
    })
  })
}
