import type { HookContext } from '@troupe/schema'

const KEY = 'troupe.hooks'

/**
 * Returns the state of one hook within a scope. `owner` is an object unique to the hook, so that two hooks of
 * one kind do not share state.
 */
export function hookState<State>(
  ctx: Pick<HookContext, 'state'>,
  options: { readonly owner: object; readonly scope: 'run' | 'root' },
  create: () => State,
): State {
  const scope = ctx.state(options.scope)
  const states = (scope.get(KEY) as Map<object, unknown> | undefined) ?? new Map<object, unknown>()
  scope.set(KEY, states)
  if (!states.has(options.owner)) states.set(options.owner, create())
  return states.get(options.owner) as State
}

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
