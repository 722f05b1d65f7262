import type { HookContext } from '@troupe/schema'

/** Waits by the clock of the run. Resolves with false if the run is cancelled first. */
export function wait({ clock, signal }: Pick<HookContext, 'clock' | 'signal'>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  if (signal.aborted) return Promise.resolve(false)
  const cancel = clock.after(ms, () => {
    signal.removeEventListener('abort', stop)
    resolve(true)
  })
  function stop(): void {
    cancel()
    resolve(false)
  }
  signal.addEventListener('abort', stop, { once: true })
  return promise
}
