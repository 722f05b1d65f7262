import { failure, type Failure } from '@troupe/schema'

/** One cause to stop, shared by everything of a run or a call. Listeners cost one set entry; the AbortSignal is made when first read. */
export interface Stop {
  /** Why it stopped; undefined while it has not. */
  readonly reason: Failure | undefined
  /** Aborts with the reason. */
  readonly signal: AbortSignal
  /** Stops once; later calls change nothing. */
  stop(reason: Failure): void
  /** Calls `fn` when it stops (at once if it has); the answer takes the listener back. */
  onStop(fn: (reason: Failure) => void): () => void
  /** Takes it off what is above it. */
  detach(): void
}

/** A stop that also stops when `above` does: another stop, or the signal of a caller. */
export function createStop(above?: Stop | AbortSignal): Stop {
  const listeners = new Set<(reason: Failure) => void>()
  let reason: Failure | undefined
  let controller: AbortController | undefined
  let release: () => void = nothing
  const stop = (why: Failure): void => {
    if (reason !== undefined) return
    reason = why
    release()
    controller?.abort(why)
    for (const listener of listeners) listener(why)
    listeners.clear()
  }
  if (above !== undefined) release = link(above, stop)
  return {
    get reason() {
      return reason
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController()
        if (reason !== undefined) controller.abort(reason)
      }
      return controller.signal
    },
    stop,
    onStop: (fn) => {
      if (reason === undefined) {
        listeners.add(fn)
        return () => listeners.delete(fn)
      }
      fn(reason)
      return nothing
    },
    detach: () => release(),
  }
}

function link(above: Stop | AbortSignal, stop: (reason: Failure) => void): () => void {
  if (!(above instanceof AbortSignal)) return above.onStop(stop)
  const abort = (): void => stop(cancelled(above.reason))
  if (above.aborted) {
    abort()
    return nothing
  }
  above.addEventListener('abort', abort, { once: true })
  return () => above.removeEventListener('abort', abort)
}

/** The failure of a run whose caller stopped it. */
function cancelled(reason: unknown): Failure {
  const cause = reason as Partial<Failure> | undefined
  return failure(
    'run_cancelled',
    cause?.code === undefined ? 'The run was stopped.' : `The run was stopped: ${String(cause.message)}`,
  )
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

/** Waits, or returns early when the stop fires. */
export function sleep(
  ms: number,
  stop: Stop,
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
