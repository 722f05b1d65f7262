/** Calls `act` with the reason when the signal aborts. Returns a function that removes the listener. */
export function addAbortListener(
  signal: AbortSignal | undefined,
  act: (reason: unknown) => void,
): () => void {
  if (signal === undefined) return () => undefined
  const abort = (): void => act(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return () => signal.removeEventListener('abort', abort)
}
