import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { TimeoutWatch } from './timeout-watch.ts'

/** The watch of the request that is being made. */
const watches = new AsyncLocalStorage<TimeoutWatch>()
/** The watches by undici's request. */
const requests = new WeakMap<object, TimeoutWatch>()
let isSubscribed = false

/**
 * Calls `send`, and switches the watch to `connect` while the request of Node's `fetch` waits for a connection.
 * `fetch` reports this by diagnostics channels only. Runtimes without them have no `connect` phase.
 */
export function observeConnecting<T>(watch: TimeoutWatch, send: () => Promise<T>): Promise<T> {
  if (!isSubscribed) subscribeToFetch()
  isSubscribed = true
  return watches.run(watch, send)
}

function subscribeToFetch(): void {
  subscribe('undici:request:create', (message) => {
    const watch = watches.getStore()
    const request = requestOf(message)
    // a proxy is reached by a CONNECT request of its own, which belongs to connecting
    if (watch === undefined || request === undefined || request.method === 'CONNECT') return
    requests.set(request, watch)
    watch.enter('connect')
  })
  subscribe('undici:client:sendHeaders', (message) => {
    const request = requestOf(message)
    if (request !== undefined) requests.get(request)?.enter('firstByte')
  })
}

function requestOf(message: unknown): { readonly method?: unknown } | undefined {
  if (typeof message !== 'object' || message === null || !('request' in message)) return undefined
  const { request } = message
  return typeof request === 'object' && request !== null ? request : undefined
}
