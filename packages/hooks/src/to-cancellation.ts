import { failure, type CancellationToken } from '@troupe/schema'

/** Adapts an abort signal to a `CancellationToken`. */
export function toCancellation(signal: AbortSignal): CancellationToken {
  const reasonOf = (): ReturnType<typeof failure> => failure('run_cancelled', 'The run was stopped.')
  return {
    get reason() {
      return signal.aborted ? reasonOf() : undefined
    },
    onCancel: (fn) => {
      const abort = (): void => fn(reasonOf())
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
      return () => signal.removeEventListener('abort', abort)
    },
  }
}
