/**
 * The part of undici's `Dispatcher` that all supported Node releases share. Node's `fetch` sends requests with
 * it. A proxy from `NODE_USE_ENV_PROXY` or from `setGlobalDispatcher` is a dispatcher, too.
 */
export interface Dispatcher {
  dispatch(request: DispatchedRequest, handler: DispatchHandler): unknown
}

/** A request. Timeouts are in ms; 0 means no limit. */
export interface DispatchedRequest {
  readonly origin: string
  readonly path: string
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly headersTimeout: number
  readonly bodyTimeout: number
}

/** Callbacks of one request. None is called after `onError` or `onComplete`. */
export interface DispatchHandler {
  /** Called once connected. `abort` closes the connection and calls `onError`. */
  onConnect(abort: (why?: Error) => void): void
  /**
   * Called also for informational (1xx) responses. `headers` alternates names and values. Returns true to
   * continue.
   */
  onHeaders(status: number, headers: readonly Buffer[], resume: () => void, statusText: string): boolean
  /** Returns false to pause until `resume` is called. */
  onData(piece: Buffer<ArrayBuffer>): boolean
  onComplete(): void
  onError(cause: unknown): void
}

/** Key of the global dispatcher, shared by all copies of undici in a process. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1')

/** Returns the global dispatcher; `undefined` if the runtime has none or `fetch` was not used yet. */
export function globalDispatcher(): Dispatcher | undefined {
  const found = (globalThis as { readonly [GLOBAL_DISPATCHER]?: unknown })[GLOBAL_DISPATCHER]
  return isDispatcher(found) ? found : undefined
}

function isDispatcher(value: unknown): value is Dispatcher {
  return (
    typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
  )
}
