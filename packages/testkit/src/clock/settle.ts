const TURNS = 5

/**
 * Turns the event loop a few times, so that promises settle, immediates run and ready sockets are read. Does
 * not wait for timers.
 */
export async function settle(turns: number = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A promise that is settled from outside. Settling it twice has no effect. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

/** Creates a promise that a test settles, to control the order of events without waiting. */
export function deferred<T = void>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => undefined
  let reject: Deferred<T>['reject'] = () => undefined
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
