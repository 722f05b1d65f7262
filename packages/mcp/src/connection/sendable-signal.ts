/** Aborts with the signal of the caller, for a reason that can be sent: a server is told why, and gets no objects of ours. `release` ends the link between the two. */
export function sendableSignal(signal: AbortSignal): { readonly signal: AbortSignal; release(): void } {
  const stop = new AbortController()
  const onAbort = (): void => stop.abort('the call was stopped')
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return { signal: stop.signal, release: () => signal.removeEventListener('abort', onAbort) }
}
