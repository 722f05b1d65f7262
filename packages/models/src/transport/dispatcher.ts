/**
 * What Node's own `fetch` sends with (`Dispatcher` of undici, in the form that Node's releases share): a proxy of `NODE_USE_ENV_PROXY` or one
 * that a program has set by `setGlobalDispatcher` is one, too.
 */
export interface Dispatcher {
  dispatch(request: DispatchedRequest, handler: DispatchHandler): unknown
}

/** Times in ms; 0: no limit. */
export interface DispatchedRequest {
  readonly origin: string
  readonly path: string
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly headersTimeout: number
  readonly bodyTimeout: number
}

/** What is told of one request. After `onError` and `onComplete` nothing is. */
export interface DispatchHandler {
  /** There is a connection, which `abort` closes; `onError` is told then. */
  onConnect(abort: (why?: Error) => void): void
  /** Also of an answer before the answer (1xx). `headers`: names and values by turns. True: go on. */
  onHeaders(status: number, headers: readonly Buffer[], resume: () => void, statusText: string): boolean
  /** False: no more before `resume`. */
  onData(piece: Buffer<ArrayBuffer>): boolean
  onComplete(): void
  onError(cause: unknown): void
}

/** Where undici keeps the dispatcher of a process, whichever copy of it asks. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1')

/** Undefined: this runtime has none, or `fetch` was not touched yet. */
export function globalDispatcher(): Dispatcher | undefined {
  const found = (globalThis as { readonly [GLOBAL_DISPATCHER]?: unknown })[GLOBAL_DISPATCHER]
  return isDispatcher(found) ? found : undefined
}

function isDispatcher(value: unknown): value is Dispatcher {
  return (
    typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
  )
}
