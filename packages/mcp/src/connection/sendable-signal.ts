/**
 * Creates a signal that aborts with the caller's signal. Its reason is a plain string, because the reason is
 * sent to the server. `release` removes the listener.
 */
export function sendableSignal(signal: AbortSignal): { readonly signal: AbortSignal; release(): void } {
  const stop = new AbortController()
  const onAbort = (): void => stop.abort('the call was stopped')
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return { signal: stop.signal, release: () => signal.removeEventListener('abort', onAbort) }
}
