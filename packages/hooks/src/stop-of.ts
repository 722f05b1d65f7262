import { failure, type StopSource } from '@troupe/schema'

/** Adapts an abort signal to a `StopSource`. */
export function stopOf(signal: AbortSignal): StopSource {
  const reasonOf = (): ReturnType<typeof failure> => failure('run_cancelled', 'The run was stopped.')
  return {
    get reason() {
      return signal.aborted ? reasonOf() : undefined
    },
    onStop: (fn) => {
      const abort = (): void => fn(reasonOf())
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
      return () => signal.removeEventListener('abort', abort)
    },
  }
}
